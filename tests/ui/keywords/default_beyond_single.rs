use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(default = 1e39)] //~ the default of `order` is beyond every 32-bit float
    order: f32,
) -> bool {
    let _ = order;
    true
}

fn main() {}
