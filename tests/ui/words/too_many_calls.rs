//! A count that does not fit.

use agent_core::tool;

/// Looks up an order.
#[tool(max_calls = 5_000_000_000)] //~ this number is too large for `max_calls`
#[allow(unused)]
async fn look_up(
    /// Which.
    id: u32,
) {
    let _ = id;
}

fn main() {}
