use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(minimum = 1)] //~ `minimum` does not fit `order`, which is a boolean; it takes no rule
    order: bool,
) -> bool {
    let _ = order;
    true
}

fn main() {}
