//! An identity where each call is another one.

use agent_core::tool;

/// Looks up an order.
#[tool(mutating, unrestricted, duplicates = "allow")]
async fn look_up(
    /// Which.
    #[arg(identity)] //~ with `duplicates = "allow"` each call is another one
    id: u32,
) {
    let _ = id;
}

fn main() {}
