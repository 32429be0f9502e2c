//! Lints that the crate forbids, which nothing may allow.
#![forbid(missing_docs, unsafe_code, unreachable_pub, deprecated)]
#![forbid(clippy::all, clippy::pedantic, clippy::too_many_arguments)]

use agent_core::{BusinessError, State, ToolError, ToolSchema, tool, tools};

/// An order.
#[derive(serde::Deserialize, ToolSchema)]
pub struct Order {
    /// The number.
    #[arg(minimum = 1)]
    pub number: u32,
    /// How soon.
    pub priority: Priority,
}

/// How soon.
#[derive(serde::Deserialize, ToolSchema)]
pub enum Priority {
    /// Later.
    Low,
    /// Now.
    High,
}

/// Bad.
#[derive(Debug, ToolError)]
pub enum Bad {
    /// So.
    #[tool(business("BAD"))]
    So,
}

impl std::fmt::Display for Bad {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("bad")
    }
}

impl std::error::Error for Bad {}

/// What tools borrow.
#[derive(State)]
pub struct App {
    /// A count.
    pub count: u16,
}

/// Orders.
#[tool(mutating, unrestricted)]
pub async fn order(
    /// The order.
    order: Order,
    count: &u16,
) -> Result<u32, BusinessError> {
    std::future::ready(()).await;
    let _ = order.priority;
    Ok(order.number + u32::from(*count))
}

fn main() {
    let _ = tools![order];
}
