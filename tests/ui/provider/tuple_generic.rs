use agent_core::tool;
use agent_tests_shapes::Page;

/// Ships.
#[tool]
async fn ship(
    /// What to ship.
    order: Page<(u8, u8)>, //~ `ship.order.items[]` is a tuple, which the strict modes of OpenAI and Anthropic refuse; use a struct with named fields
) -> u8 {
    let _ = order;
    1
}

fn main() {}
