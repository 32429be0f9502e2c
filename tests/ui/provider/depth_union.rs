use agent_core::{ToolSchema, tool};

#[derive(serde::Deserialize, ToolSchema)]
enum Either {
    /// Deep.
    Left(agent_tests_shapes::Deep9),
    /// Not.
    Right,
}

/// Ships.
#[tool]
async fn ship(
    /// What to ship.
    order: Either, //~ `ship.order.Left.d.d.d.d.d.d.d.d` nests objects more than 10 deep, which OpenAI refuses; flatten the arguments
) -> u8 {
    let _ = order;
    1
}

fn main() {}
