//! A type that gives no schema of itself.

use agent_core::tool;

#[derive(serde::Deserialize)]
struct Money(u32);

/// Pays.
#[tool]
async fn pay(
    /// How much.
    #[arg(schemars)]
    amount: Money, //~ `Money` gives no schema of itself
) {
    let _ = amount.0;
}

fn main() {}
