use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(minimum = 1, minimum = 2)] //~ `minimum` is given twice; keep one
    order: u64,
) -> u64 {
    order
}

fn main() {}
