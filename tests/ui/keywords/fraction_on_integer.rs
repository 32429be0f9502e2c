use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(minimum = 0.5)] //~ `minimum` of an integer is whole; `order` is one
    order: u64,
) -> bool {
    let _ = order;
    true
}

fn main() {}
