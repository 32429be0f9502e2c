use agent_core::tool;

/// Ships.
#[tool]
async fn ship(
    /// What to ship.
    order: Vec<agent_tests_shapes::Value>, //~ `ship.order[]` is a `serde_json::Value` of any form, which the strict modes of OpenAI and Anthropic refuse; name the fields
) -> u8 {
    let _ = order;
    1
}

fn main() {}
