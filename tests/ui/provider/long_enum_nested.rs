use agent_core::{ToolSchema, tool};

#[derive(serde::Deserialize, ToolSchema)]
struct Order {
    /// The lines.
    _lines: Vec<Line>,
}

#[derive(serde::Deserialize, ToolSchema)]
struct Line {
    /// Which.
    _which: Option<agent_tests_shapes::Long>,
}

/// Ships.
#[tool]
async fn ship(
    /// What to ship.
    order: Order, //~ `ship.order._lines[]._which` has 251 values of 15060 characters together, and over 250 values OpenAI takes at most 15000 characters; shorten them
) -> u8 {
    let _ = order;
    1
}

fn main() {}
