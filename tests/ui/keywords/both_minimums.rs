use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(minimum = 0, exclusive_minimum = 0)] //~ `minimum` and `exclusive_minimum` bound the same side; keep one
    order: f64,
) -> bool {
    let _ = order;
    true
}

fn main() {}
