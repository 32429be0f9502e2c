use agent_core::tool;

type Extra = std::collections::BTreeMap<String, u32>;

/// Ships.
#[tool]
async fn ship(
    /// What to ship.
    order: Extra, //~ `order` is a `BTreeMap` with open keys; use `Vec<Entry>`
) -> u8 {
    let _ = order;
    1
}

fn main() {}
