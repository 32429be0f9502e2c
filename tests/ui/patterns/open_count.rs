use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(pattern = "a{,3}")] //~ of the pattern: 
    order: String,
) -> bool {
    let _ = order;
    true
}

fn main() {}
