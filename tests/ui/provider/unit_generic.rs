use agent_core::tool;
use agent_tests_shapes::Page;

/// Ships.
#[tool]
async fn ship(
    /// What to ship.
    order: Page<()>, //~ `ship.order.items[]` is the unit type `()`, which OpenAI's strict mode refuses; leave it out
) -> u8 {
    let _ = order;
    1
}

fn main() {}
