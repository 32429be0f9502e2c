use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(maximum = 1e300)] //~ `maximum` is outside the values of `order`
    order: u8,
) -> bool {
    let _ = order;
    true
}

fn main() {}
