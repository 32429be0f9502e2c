use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(pattern = "^[a-c-e]$")] //~ in a class write
    order: String,
) -> bool {
    let _ = order;
    true
}

fn main() {}
