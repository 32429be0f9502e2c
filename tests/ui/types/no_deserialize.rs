use agent_core::{ToolSchema, tool};

#[derive(ToolSchema)]
struct Money {
    /// How much.
    _amount: u64,
}

/// Pays.
#[tool]
async fn pay(
    /// How much.
    amount: Money, //~ the trait bound `Money: serde::de::DeserializeOwned` is not satisfied
) -> u8 {
    let _ = amount;
    1
}

fn main() {}
