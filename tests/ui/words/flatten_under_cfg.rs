//! The whole argument object under a `#[cfg]`.

use agent_core::{ToolSchema, tool};

#[derive(serde::Deserialize, ToolSchema)]
struct Order {
    /// The number.
    _id: String,
}

/// Cancels an order.
#[tool]
async fn cancel(
    #[cfg(feature = "off")]
    #[arg(flatten)] //~ the whole argument object cannot depend on a `#[cfg]`
    order: Order,
) {
}

fn main() {}
