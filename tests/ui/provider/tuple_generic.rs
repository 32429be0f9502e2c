use agent_core::tool;
use agent_tests_shapes::Page;

/// Ships.
#[tool]
async fn ship(
    /// What to ship.
    order: Page<(u8, u8)>, //~ `order.items[]` is a tuple; use a struct with named fields
) -> u8 {
    let _ = order;
    1
}

fn main() {}
