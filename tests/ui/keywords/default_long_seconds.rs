use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(example = 0.1234567891)] //~ the example of `order` has more than the 9 digits after the point
    order: std::time::Duration,
) -> bool {
    let _ = order;
    true
}

fn main() {}
