use agent_core::tool;
use agent_tests_shapes::Page;

/// Ships.
#[tool]
async fn ship(
    /// What to ship.
    order: Page<[u8; 0]>, //~ `ship.order.items[]` is an array of no items, which OpenAI's strict mode refuses; leave it out
) -> u8 {
    let _ = order;
    1
}

fn main() {}
