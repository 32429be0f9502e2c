use agent_core::tool;

/// Ships.
#[tool]
async fn ship(
    /// What to ship.
    order: Vec<agent_tests_shapes::Map>, //~ `ship.order[]` is a `BTreeMap` with open keys, which the strict modes of OpenAI and Anthropic refuse; use `Vec<Entry>`
) -> u8 {
    let _ = order;
    1
}

fn main() {}
