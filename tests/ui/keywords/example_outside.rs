use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(maximum = 3, example = 4)] //~ the example does not keep to `maximum = 3`
    order: u8,
) -> bool {
    let _ = order;
    true
}

fn main() {}
