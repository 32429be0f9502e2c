use agent_core::tool;

/// Ships.
#[tool]
async fn ship(
    #[arg(flatten)]
    order: agent_tests_shapes::Long, //~ `order` is one of a list of strings; `flatten` takes a struct
) -> u8 {
    let _ = order;
    1
}

fn main() {}
