use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(format = "email")] //~ `format` does not fit `order`, which is an integer
    order: u64,
) -> bool {
    let _ = order;
    true
}

fn main() {}
