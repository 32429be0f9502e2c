use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(default = 1e20)] //~ the default of `order` is more seconds than a `Duration` has
    order: std::time::Duration,
) -> bool {
    let _ = order;
    true
}

fn main() {}
