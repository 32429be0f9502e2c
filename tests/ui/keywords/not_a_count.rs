use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(min_length = -1)] //~ `min_length` takes a whole number
    order: String,
) -> bool {
    let _ = order;
    true
}

fn main() {}
