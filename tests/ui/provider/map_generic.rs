use agent_core::tool;
use agent_tests_shapes::Page;

/// Ships.
#[tool]
async fn ship(
    /// What to ship.
    order: Page<std::collections::BTreeMap<String, u32>>, //~ `order.items[]` is a `BTreeMap` with open keys; use `Vec<Entry>`
) -> u8 {
    let _ = order;
    1
}

fn main() {}
