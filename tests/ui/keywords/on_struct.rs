//! A keyword on a struct.

use agent_core::{ToolSchema, tool};

#[derive(serde::Deserialize, ToolSchema)]
struct Order {
    /// The number.
    _id: u32,
}

/// Orders.
#[tool]
async fn order(
    /// The order.
    #[arg(minimum = 1)] //~ put it on the field that it is about
    order: Order,
) {
    let _ = order;
}

fn main() {}
