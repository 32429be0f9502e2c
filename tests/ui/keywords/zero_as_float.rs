use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(exclusive_minimum = 1e-400)] //~ this number is zero as a 64-bit float
    order: f64,
) -> bool {
    let _ = order;
    true
}

fn main() {}
