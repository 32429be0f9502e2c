use agent_core::{ToolSchema, tool};

#[derive(serde::Deserialize, ToolSchema)]
struct Both<T> {
    /// Half.
    _first: T,
    /// Half.
    _second: T,
}

/// Ships.
#[tool]
async fn ship(
    /// What to ship.
    order: Both<agent_tests_shapes::Properties2556>, //~ ` brings the tool to more than 5000 properties, which OpenAI refuses; split the tool
) -> u8 {
    let _ = order;
    1
}

fn main() {}
