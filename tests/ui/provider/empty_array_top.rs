use agent_core::tool;

/// Ships.
#[tool]
async fn ship(
    /// What to ship.
    order: [u8; 0], //~ `order` is an array of no items; leave it out
) -> u8 {
    let _ = order;
    1
}

fn main() {}
