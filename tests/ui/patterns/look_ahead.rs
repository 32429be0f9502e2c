use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(pattern = r"(?=GB)")] //~ no look-around
    order: String,
) -> bool {
    let _ = order;
    true
}

fn main() {}
