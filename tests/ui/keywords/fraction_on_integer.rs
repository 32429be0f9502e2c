use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(minimum = 0.5)] //~ `order` is an integer, so its `minimum` must be a whole number
    order: u64,
) -> bool {
    let _ = order;
    true
}

fn main() {}
