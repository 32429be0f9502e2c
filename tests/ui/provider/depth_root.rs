use agent_core::tool;

/// Ships.
#[tool]
async fn ship(
    #[arg(flatten)]
    order: agent_tests_shapes::Deep<agent_tests_shapes::Deep10>, //~ `ship.d.d.d.d.d.d.d.d.d.d` nests objects more than 10 deep
) -> u8 {
    let _ = order;
    1
}

fn main() {}
