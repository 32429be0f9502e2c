//! A tool that does not end.

use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up() -> ! { //~ a tool comes to an end, and the model is shown what it gives
    loop {}
}

fn main() {}
