//! Words about the whole argument object.

use agent_core::{ToolSchema, tool};

#[derive(serde::Deserialize, ToolSchema)]
struct Order {
    /// The number.
    _id: u32,
}

/// Orders.
#[tool(rename_all = "camelCase")] //~ the names are those of the flattened struct
async fn order(
    #[arg(flatten, example = "a")] //~ a flattened struct is not a value of its own; put this on its fields
    order: Order,
) {
    let _ = order;
}

fn main() {}
