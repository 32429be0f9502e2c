use agent_core::tool;

use std::collections::HashMap;

/// Pays.
#[tool]
async fn pay(
    /// How much.
    amounts: HashMap<String, u32>, //~ `pay.amounts` is a `HashMap`
) -> u8 {
    let _ = amounts;
    1
}

fn main() {}
