use agent_core::{ToolSchema, tool};

#[derive(serde::Deserialize, ToolSchema)]
struct Order {
    /// The lines.
    _lines: Vec<Line>,
}

#[derive(serde::Deserialize, ToolSchema)]
struct Line {
    /// Down.
    _down: Option<agent_tests_shapes::Deep9>,
}

/// Ships.
#[tool]
async fn ship(
    /// What to ship.
    order: Order, //~ `ship.order._lines[]._down.d.d.d.d.d.d.d` nests objects more than 10 deep, which OpenAI refuses; flatten the arguments
) -> u8 {
    let _ = order;
    1
}

fn main() {}
