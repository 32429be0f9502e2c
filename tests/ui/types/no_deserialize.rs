use agent_core::{ToolSchema, tool};

#[derive(ToolSchema)]
struct Money {
    /// How much.
    _amount: u32,
}

/// Pays.
#[tool]
async fn pay(
    /// How much.
    amount: Money, //~ `Money` cannot be read from what the model sends
) -> u8 {
    let _ = amount;
    1
}

fn main() {}
