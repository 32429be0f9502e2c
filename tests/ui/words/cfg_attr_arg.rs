//! `#[arg]` in a `cfg_attr`, which `#[tool]` does not see.

use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// Which.
    #[cfg_attr(feature = "on", arg(minimum = 1))] //~ `#[tool]` does not see `arg` in a `cfg_attr`
    id: u32,
) -> u32 {
    id
}

fn main() {}
