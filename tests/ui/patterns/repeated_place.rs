//! A place that is repeated.

use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// Which.
    #[arg(pattern = "^*a")] //~ a place cannot be repeated
    id: String,
) {
    let _ = id;
}

fn main() {}
