use agent_core::tool;

type Down = agent_tests_shapes::Deep<agent_tests_shapes::Deep9>;

/// Ships.
#[tool]
async fn ship(
    /// What to ship.
    order: Down, //~ `ship.order.d.d.d.d.d.d.d.d.d` nests objects more than 10 deep, which OpenAI refuses; flatten the arguments
) -> u8 {
    let _ = order;
    1
}

fn main() {}
