use agent_core::tool;

/// Ships.
#[tool]
async fn ship(
    /// What to ship.
    order: (), //~ `order` is the unit type `()`; leave it out
) -> u8 {
    let _ = order;
    1
}

fn main() {}
