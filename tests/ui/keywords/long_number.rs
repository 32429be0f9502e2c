//! More digits than a number may have.

use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// Which.
    #[arg(minimum = 1_000_000_000_000_000_000_000_000_000_000_000_000_000_000)] //~ a number has at most 36 digits here; round it
    id: u32,
) {
    let _ = id;
}

fn main() {}
