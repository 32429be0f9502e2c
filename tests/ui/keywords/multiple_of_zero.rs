use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(multiple_of = 0)] //~ `multiple_of` must be more than 0
    order: f64,
) -> bool {
    let _ = order;
    true
}

fn main() {}
