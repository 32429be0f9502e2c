use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(min_items = 1)] //~ `min_items` does not fit `order`, which is a string
    order: String,
) -> bool {
    let _ = order;
    true
}

fn main() {}
