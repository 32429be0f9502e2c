use agent_core::tool;

struct Money;

/// Pays.
#[tool]
async fn pay(
    /// How much.
    amount: Option<Money>, //~ `Money` has no tool schema
) -> u8 {
    let _ = amount;
    1
}

fn main() {}
