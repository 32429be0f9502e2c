use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(identity)] //~ `identity` tells effects apart; this tool only reads
    order: u64,
) -> u64 {
    order
}

fn main() {}
