use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(maximum = 1e309)] //~ this number is beyond every 64-bit float
    order: f64,
) -> bool {
    let _ = order;
    true
}

fn main() {}
