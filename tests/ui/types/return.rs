use agent_core::tool;

struct Money;

/// Pays.
#[tool]
async fn pay() -> Money { //~ `Money: serde::Serialize` is not satisfied
    Money
}

fn main() {}
