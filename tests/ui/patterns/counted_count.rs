use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(pattern = "a**")] //~ a count cannot be counted
    order: String,
) -> bool {
    let _ = order;
    true
}

fn main() {}
