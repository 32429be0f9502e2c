//! A word of serde on a parameter.

use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// Which.
    #[serde(default)] //~ serde does not see the parameters of a tool; write `#[arg(default = ..)]`
    id: u32,
) -> u32 {
    id
}

fn main() {}
