use agent_core::{ToolSchema, tool};

#[derive(serde::Deserialize, ToolSchema)]
struct Order {
    /// The lines.
    _lines: Vec<Line>,
}

#[derive(serde::Deserialize, ToolSchema)]
struct Line {
    /// The tag.
    _tag: Option<[u8; 0]>, //~ `_tag` is an array of no items; leave it out
}

/// Ships.
#[tool]
async fn ship(
    /// What to ship.
    order: Order,
) -> u8 {
    let _ = order;
    1
}

fn main() {}
