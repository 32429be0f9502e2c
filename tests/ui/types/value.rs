use agent_core::tool;

/// Pays.
#[tool]
async fn pay(
    /// How much.
    amount: serde_json::Value, //~ `pay.amount` is a `serde_json::Value`
) -> u8 {
    let _ = amount;
    1
}

fn main() {}
