use agent_core::tool;

/// Ships.
#[tool]
async fn ship(
    /// What to ship.
    order: Vec<agent_tests_shapes::Map>, //~ `order[]` is a `BTreeMap` with open keys; use `Vec<Entry>`
) -> u8 {
    let _ = order;
    1
}

fn main() {}
