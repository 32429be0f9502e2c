use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(pattern = "^(?:[a-z]{1000}){1000}$")] //~ the pattern is too large to compile
    order: String,
) -> bool {
    let _ = order;
    true
}

fn main() {}
