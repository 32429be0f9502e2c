use agent_core::{ToolSchema, tool};

#[derive(serde::Deserialize, ToolSchema)]
struct Order {
    /// The lines.
    _lines: Vec<Line>,
}

#[derive(serde::Deserialize, ToolSchema)]
struct Line {
    /// The tag.
    _tag: Option<serde_json::Value>, //~ `_tag` is a `serde_json::Value` of any form; name the fields
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
