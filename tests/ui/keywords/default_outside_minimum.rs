use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(minimum = 5, default = 1)] //~ the default does not keep to `minimum = 5`
    order: u8,
) -> bool {
    let _ = order;
    true
}

fn main() {}
