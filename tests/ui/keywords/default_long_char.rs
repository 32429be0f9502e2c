//! A default of two characters for one.

use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// Which.
    #[arg(default = "ab")] //~ is longer than its type allows
    id: char,
) {
    let _ = id;
}

fn main() {}
