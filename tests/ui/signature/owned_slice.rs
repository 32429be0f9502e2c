//! An owned slice.

use agent_core::tool;

/// Looks up orders.
#[tool]
async fn look_up(
    /// Which.
    ids: [u32], //~ a slice has no size of its own; for the model to fill it in, take `Vec<u32>`
) -> u8 {
    1
}

fn main() {}
