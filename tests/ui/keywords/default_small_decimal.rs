use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(default = 1e-30)] //~ the default of `order` has more than the 28 places of a decimal
    order: rust_decimal::Decimal,
) -> bool {
    let _ = order;
    true
}

fn main() {}
