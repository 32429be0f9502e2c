use agent_core::tool;

type Extra = serde_json::Value;

/// Ships.
#[tool]
async fn ship(
    /// What to ship.
    order: Extra, //~ `order` is a `serde_json::Value` of any form; name the fields
) -> u8 {
    let _ = order;
    1
}

fn main() {}
