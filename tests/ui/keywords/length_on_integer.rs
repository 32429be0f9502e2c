use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(min_length = 1)] //~ `min_length` does not fit `order`, which is an integer; use `minimum`, `exclusive_minimum`, `maximum`, `exclusive_maximum` or `multiple_of`
    order: u64,
) -> bool {
    let _ = order;
    true
}

fn main() {}
