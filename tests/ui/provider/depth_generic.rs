use agent_core::{ToolSchema, tool};

#[derive(serde::Deserialize, ToolSchema)]
struct Boxed<T> {
    /// What is in it.
    _held: Box<T>,
}

/// Ships.
#[tool]
async fn ship(
    /// What to ship.
    order: Boxed<agent_tests_shapes::Deep9>, //~ `ship.order._held.d.d.d.d.d.d.d.d` nests objects more than 10 deep, which OpenAI refuses; flatten the arguments
) -> u8 {
    let _ = order;
    1
}

fn main() {}
