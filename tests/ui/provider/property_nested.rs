use agent_core::{ToolSchema, profile, tool};

#[derive(serde::Deserialize, ToolSchema)]
struct Spaced {
    /// The name.
    #[serde(rename = "full name")]
    _name: String,
}

#[derive(serde::Deserialize, ToolSchema)]
struct Order {
    /// The lines.
    _lines: Vec<Line>,
}

#[derive(serde::Deserialize, ToolSchema)]
struct Line {
    /// Who.
    _who: Spaced,
}

/// Ships.
#[tool(providers(profile::ANTHROPIC))]
async fn ship(
    /// What to ship.
    order: Order, //~ `ship.order._lines[]._who.full name` has a name that Anthropic refuses; rename it to at most 64 of `a-z`, `A-Z`, `0-9`, `_`, `.` and `-`
) -> u8 {
    let _ = order;
    1
}

fn main() {}
