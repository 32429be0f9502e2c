use agent_core::{ToolSchema, tool};

#[derive(serde::Deserialize, ToolSchema)]
struct Two {
    /// Half.
    _first: agent_tests_shapes::Values600,
    /// Half.
    _second: agent_tests_shapes::Values600,
}

#[derive(serde::Deserialize, ToolSchema)]
struct Order {
    /// The lines.
    _lines: Vec<Line>,
}

#[derive(serde::Deserialize, ToolSchema)]
struct Line {
    /// Both.
    _two: Two,
}

/// Ships.
#[tool]
async fn ship(
    /// What to ship.
    order: Order, //~ ` brings the tool to more than 1000 enum values, which OpenAI refuses; split the tool
) -> u8 {
    let _ = order;
    1
}

fn main() {}
