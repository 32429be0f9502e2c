use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(multiple_of = 0.1, default = 0.25)] //~ the default does not keep to `multiple_of = 0.1`
    order: f64,
) -> bool {
    let _ = order;
    true
}

fn main() {}
