use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(default = [1, 2])] //~ the default of `order` has 2 items, its type takes at least 3
    order: [u8; 3],
) -> bool {
    let _ = order;
    true
}

fn main() {}
