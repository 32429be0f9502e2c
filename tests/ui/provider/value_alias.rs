use agent_core::tool;

type Extra = serde_json::Value;

/// Ships.
#[tool]
async fn ship(
    /// What to ship.
    order: Extra, //~ `ship.order` is a `serde_json::Value` of any form, which the strict modes of OpenAI and Anthropic refuse; name the fields
) -> u8 {
    let _ = order;
    1
}

fn main() {}
