use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(maximum = 1234567890123456789012345678901234567)] //~ this number has more than 36 digits
    order: f64,
) -> bool {
    let _ = order;
    true
}

fn main() {}
