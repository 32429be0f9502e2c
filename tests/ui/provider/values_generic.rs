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
    order: Both<agent_tests_shapes::Values600>, //~ ` brings the tool to more than 1000 enum values, which OpenAI refuses; split the tool
) -> u8 {
    let _ = order;
    1
}

fn main() {}
