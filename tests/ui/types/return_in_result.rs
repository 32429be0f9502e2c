use agent_core::{BusinessError, tool};

struct Money;

/// Pays.
#[tool]
async fn pay() -> Result<Money, BusinessError> { //~ `Money: serde::Serialize` is not satisfied
    Ok(Money)
}

fn main() {}
