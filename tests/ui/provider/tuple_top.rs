use agent_core::tool;

/// Ships.
#[tool]
async fn ship(
    /// What to ship.
    order: (u8, u8), //~ `order` is a tuple; use a struct with named fields
) -> u8 {
    let _ = order;
    1
}

fn main() {}
