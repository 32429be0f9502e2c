//! A word without what its sign promises.

use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// Which.
    #[arg(minimum =)] //~ `minimum =` lacks its value
    id: u32,
) {
    let _ = id;
}

fn main() {}
