//! `identity` on a field that is flattened into the arguments.

use agent_core::{ToolSchema, tool};

#[derive(serde::Deserialize, ToolSchema)]
struct Head {
    /// The number.
    #[arg(identity)]
    id: String,
}

#[derive(serde::Deserialize, ToolSchema)]
struct Order {
    #[serde(flatten)]
    head: Head,
}

/// Cancels an order.
#[tool(mutating, unrestricted)]
async fn cancel(#[arg(flatten)] order: Order) -> usize { //~ `order.head.id` says `identity`
    order.head.id.len()
}

fn main() {}
