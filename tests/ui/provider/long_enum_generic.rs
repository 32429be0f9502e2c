use agent_core::tool;
use agent_tests_shapes::Page;

/// Ships.
#[tool]
async fn ship(
    /// What to ship.
    order: Page<agent_tests_shapes::Long>, //~ `ship.order.items[]` has 251 values of 15060 characters together, and over 250 values OpenAI takes at most 15000 characters; shorten them
) -> u8 {
    let _ = order;
    1
}

fn main() {}
