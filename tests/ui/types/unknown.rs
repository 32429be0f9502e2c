use agent_core::tool;

/// Pays.
#[tool]
async fn pay(
    /// How much.
    amount: Mony, //~ cannot find type `Mony` in this scope
    ledger: &Legder, //~ cannot find type `Legder` in this scope
) -> u8 {
    let _ = (amount, ledger);
    1
}

fn main() {}
