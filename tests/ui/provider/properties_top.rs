use agent_core::{ToolSchema, tool};

#[derive(serde::Deserialize, ToolSchema)]
struct Two {
    /// Half.
    _first: agent_tests_shapes::Properties2556,
    /// Half.
    _second: agent_tests_shapes::Properties2556,
}

/// Ships.
#[tool]
async fn ship(
    /// What to ship.
    order: Two, //~ ` brings the tool to more than 5000 properties, which OpenAI refuses; split the tool
) -> u8 {
    let _ = order;
    1
}

fn main() {}
