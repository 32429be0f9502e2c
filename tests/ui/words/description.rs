//! A description in words.

use agent_core::tool;

/// Looks up an order.
#[tool(description = "Looks up an order.")] //~ unknown word `description`; the doc comment above the function
#[allow(unused)]
async fn look_up(
    /// Which.
    id: u32,
) {
    let _ = id;
}

fn main() {}
