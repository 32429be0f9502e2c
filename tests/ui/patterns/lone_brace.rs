//! A brace that stands for itself.

use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// Which.
    #[arg(pattern = "^a}$")] //~ write `\}` for the character itself
    id: String,
) {
    let _ = id;
}

fn main() {}
