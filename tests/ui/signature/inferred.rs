//! A type that is left to the compiler.

use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// Which.
    id: _, //~ a tool's parameter names its type
) {
}

fn main() {}
