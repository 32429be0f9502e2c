use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(min_length = 5, max_length = 1)] //~ `min_length = 5` is more than `max_length = 1`, so nothing fits both
    order: String,
) -> bool {
    let _ = order;
    true
}

fn main() {}
