use agent_core::tool;

/// Ships.
#[tool]
async fn ship(
    /// What to ship.
    order: std::collections::BTreeMap<String, u32>, //~ `order` is a `BTreeMap` with open keys; use `Vec<Entry>`
) -> u8 {
    let _ = order;
    1
}

fn main() {}
