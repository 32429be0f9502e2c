use agent_core::tool;

use std::collections::BTreeMap;

type Tags = BTreeMap<String, u32>;

/// Pays.
#[tool]
async fn pay(
    /// How much.
    amounts: Vec<Option<Tags>>, //~ `pay.amounts[]` is a `BTreeMap`
) -> u8 {
    let _ = amounts;
    1
}

fn main() {}
