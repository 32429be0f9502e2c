use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(pattern = r"^[A-Z")] //~ unclosed character class
    order: String,
) -> bool {
    let _ = order;
    true
}

fn main() {}
