use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(minimum = 5, maximum = 1)] //~ no number lies between `minimum = 5` and `maximum = 1`
    order: u8,
) -> bool {
    let _ = order;
    true
}

fn main() {}
