use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(minimun = 1)] //~ unknown word `minimun`; did you mean `minimum`?
    order: u64,
) -> u64 {
    order
}

fn main() {}
