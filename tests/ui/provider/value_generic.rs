use agent_core::tool;
use agent_tests_shapes::Page;

/// Ships.
#[tool]
async fn ship(
    /// What to ship.
    order: Page<serde_json::Value>, //~ `ship.order.items[]` is a `serde_json::Value` of any form, which the strict modes of OpenAI and Anthropic refuse; name the fields
) -> u8 {
    let _ = order;
    1
}

fn main() {}
