use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(maximum = 300)] //~ `maximum` is outside the values of `order`, whose type goes from 0 to 255
    order: u8,
) -> bool {
    let _ = order;
    true
}

fn main() {}
