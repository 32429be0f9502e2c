//! A default of no character for one.

use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// Which.
    #[arg(default = "")] //~ is shorter than its type allows
    id: char,
) {
    let _ = id;
}

fn main() {}
