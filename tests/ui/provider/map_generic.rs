use agent_core::tool;
use agent_tests_shapes::Page;

/// Ships.
#[tool]
async fn ship(
    /// What to ship.
    order: Page<std::collections::BTreeMap<String, u32>>, //~ `ship.order.items[]` is a `BTreeMap` with open keys, which the strict modes of OpenAI and Anthropic refuse; use `Vec<Entry>`
) -> u8 {
    let _ = order;
    1
}

fn main() {}
