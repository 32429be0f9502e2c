//! A property without a name.

use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// Which.
    #[arg(rename = "")] //~ an empty name cannot be filled in; give it another
    id: u32,
) {
    let _ = id;
}

fn main() {}
