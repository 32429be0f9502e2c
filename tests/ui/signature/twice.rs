//! `#[tool]` twice on one function.

use agent_core::{tool, tools};

/// Looks up an order.
#[tool]
#[tool(name = "lookUp")] //~ `#[tool]` stands on this function already; put all words into one
async fn look_up() -> u8 {
    1
}

fn main() {
    let _ = tools![look_up];
}
