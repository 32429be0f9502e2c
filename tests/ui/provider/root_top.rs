use agent_core::tool;

/// Ships.
#[tool]
async fn ship(
    #[arg(flatten)]
    order: Vec<u8>, //~ `order` is an array; `flatten` takes a struct with named fields as the whole argument object
) -> u8 {
    let _ = order;
    1
}

fn main() {}
