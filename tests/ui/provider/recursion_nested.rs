use agent_core::{ToolSchema, profile, tool};

#[derive(serde::Deserialize, ToolSchema)]
struct Tree {
    /// Below.
    _kids: Vec<Tree>,
}

#[derive(serde::Deserialize, ToolSchema)]
struct Order {
    /// The lines.
    _lines: Vec<Line>,
}

#[derive(serde::Deserialize, ToolSchema)]
struct Line {
    /// Parts.
    _parts: Option<Tree>,
}

/// Ships.
#[tool(providers(profile::ANTHROPIC))]
async fn ship(
    /// What to ship.
    order: Order, //~ `ship.order._lines[]._parts._kids[]` is a type that contains itself, which Anthropic refuses; unroll it to a fixed depth, or take a flat list with parent ids
) -> u8 {
    let _ = order;
    1
}

fn main() {}
