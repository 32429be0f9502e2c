//! `\S`, which the two read differently.

use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// Which.
    #[arg(pattern = r"^\S+$")] //~ write the characters: `[^ \t\n\r]`
    id: String,
) {
    let _ = id;
}

fn main() {}
