use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(pattern = "^[A-Z]+$", default = "gbp")] //~ the default does not keep to `pattern = "^[A-Z]+$"`
    order: String,
) -> bool {
    let _ = order;
    true
}

fn main() {}
