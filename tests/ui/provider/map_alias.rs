use agent_core::tool;

type Extra = std::collections::BTreeMap<String, u32>;

/// Ships.
#[tool]
async fn ship(
    /// What to ship.
    order: Extra, //~ `ship.order` is a `BTreeMap` with open keys, which the strict modes of OpenAI and Anthropic refuse; use `Vec<Entry>`
) -> u8 {
    let _ = order;
    1
}

fn main() {}
