use agent_core::tool;

type Extra = [u8; 0];

/// Ships.
#[tool]
async fn ship(
    /// What to ship.
    order: Extra, //~ `ship.order` is an array of no items, which OpenAI's strict mode refuses; leave it out
) -> u8 {
    let _ = order;
    1
}

fn main() {}
