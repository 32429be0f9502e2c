//! `identity` on parameters, and on fields of the struct that is all the arguments.
#![deny(warnings, missing_docs, unsafe_code, unreachable_pub, clippy::all, clippy::pedantic, rust_2018_idioms)]

use agent_core::{ToolSchema, tool, tools};

/// An order.
#[derive(serde::Deserialize, ToolSchema)]
pub struct Order {
    /// The number.
    #[arg(identity)]
    pub number: u32,
    /// A note.
    pub note: Option<String>,
}

/// Orders.
#[tool(mutating, unrestricted)]
pub async fn order(#[arg(flatten)] order: Order) -> u32 {
    let _ = order.note;
    order.number
}

/// Shows what would be ordered.
#[tool]
pub async fn preview(#[arg(flatten)] order: Order) -> u32 {
    order.number
}

/// Cancels.
#[tool(mutating, unrestricted)]
pub async fn cancel(
    /// Which.
    #[arg(identity)]
    number: u32,
    /// Why.
    why: String,
) -> u32 {
    let _ = why;
    number
}

fn main() {
    let _ = tools![order, preview, cancel];
}
