//! A word that serde does not know either.

use agent_core::ToolSchema;

#[derive(serde::Deserialize, ToolSchema)]
struct Order {
    /// The number.
    #[serde(renmae = "id")] //~ unknown serde field attribute `renmae`
    _number: u32,
}

fn main() {}
