//! `identity` on a field of a struct that is one parameter among others.

use agent_core::{ToolSchema, tool};

#[derive(serde::Deserialize, ToolSchema)]
struct Order {
    /// The number.
    #[arg(identity)]
    id: String,
}

/// Cancels orders.
#[tool(mutating, unrestricted)]
async fn cancel(
    /// Which.
    orders: Vec<Order>, //~ `orders[].id` says `identity`, which tells calls apart only on a parameter
) -> usize {
    orders.iter().map(|order| order.id.len()).sum()
}

fn main() {}
