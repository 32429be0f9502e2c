use agent_core::tool;

type Extra = (u8, u8);

/// Ships.
#[tool]
async fn ship(
    /// What to ship.
    order: Extra, //~ `ship.order` is a tuple, which the strict modes of OpenAI and Anthropic refuse; use a struct with named fields
) -> u8 {
    let _ = order;
    1
}

fn main() {}
