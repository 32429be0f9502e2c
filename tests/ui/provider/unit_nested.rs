use agent_core::{ToolSchema, tool};

#[derive(serde::Deserialize, ToolSchema)]
struct Order {
    /// The lines.
    _lines: Vec<Line>,
}

#[derive(serde::Deserialize, ToolSchema)]
struct Line {
    /// The tag.
    _tag: Option<()>, //~ `Line._tag` is the unit type `()`, which OpenAI's strict mode refuses; leave it out
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
