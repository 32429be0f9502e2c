use agent_core::{ToolSchema, tool};

#[derive(serde::Deserialize, ToolSchema)]
struct Order {
    /// The lines.
    _lines: Vec<Line>,
}

#[derive(serde::Deserialize, ToolSchema)]
struct Line {
    /// The tag.
    _tag: Option<(u8, u8)>, //~ `Line._tag` is a tuple, which the strict modes of OpenAI and Anthropic refuse; use a struct with named fields
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
