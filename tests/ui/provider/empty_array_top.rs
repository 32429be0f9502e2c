use agent_core::tool;

/// Ships.
#[tool]
async fn ship(
    /// What to ship.
    order: [u8; 0], //~ `ship.order` is an array of no items, which OpenAI's strict mode refuses; leave it out
) -> u8 {
    let _ = order;
    1
}

fn main() {}
