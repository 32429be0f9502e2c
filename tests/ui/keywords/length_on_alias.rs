use agent_core::tool;

type Number = u64;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(max_length = 1)] //~ `max_length` does not fit `order`, which is an integer
    order: Option<Number>,
) -> bool {
    let _ = order;
    true
}

fn main() {}
