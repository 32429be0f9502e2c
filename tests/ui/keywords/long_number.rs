//! More digits than a number may have.

use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// Which.
    #[arg(minimum = 1_234_567_890_123_456_789_012_345_678_901_234_567)] //~ more than 36 digits
    id: u32,
) {
    let _ = id;
}

fn main() {}
