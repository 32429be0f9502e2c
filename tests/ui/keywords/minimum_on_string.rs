use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(minimum = 1)] //~ `minimum` does not fit `order`, which is a string; use `min_length`, `max_length`, `pattern` or `format`
    order: String,
) -> bool {
    let _ = order;
    true
}

fn main() {}
