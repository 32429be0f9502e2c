//! An owned `str`.

use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// Which.
    id: str, //~ `str` has no size of its own; for the model to fill it in, take `String`
) -> u8 {
    1
}

fn main() {}
