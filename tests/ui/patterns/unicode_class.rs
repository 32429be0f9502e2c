use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(pattern = r"^\p{Greek}+$")] //~ providers do not agree on its characters
    order: String,
) -> bool {
    let _ = order;
    true
}

fn main() {}
