use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(pattern = r"^\d+$")] //~ `\d` at character 2 of the pattern: providers do not agree on its characters; write `[0-9]`
    order: String,
) -> bool {
    let _ = order;
    true
}

fn main() {}
