use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(pattern = r"\bGB\b")] //~ `\b` at character 1 of the pattern: no word boundaries
    order: String,
) -> bool {
    let _ = order;
    true
}

fn main() {}
