use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(pattern = r"(?i:gb)")] //~ no inline flags
    order: String,
) -> bool {
    let _ = order;
    true
}

fn main() {}
