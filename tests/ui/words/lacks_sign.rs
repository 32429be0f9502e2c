//! A value without the sign before it.

use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// Which.
    #[arg(minimum 1)] //~ expected `,`, `=` or `(..)` after `minimum`
    id: u32,
) {
    let _ = id;
}

fn main() {}
