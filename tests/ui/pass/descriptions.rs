//! Descriptions from many places.
#![deny(warnings, missing_docs, unsafe_code, unreachable_pub, clippy::all, clippy::pedantic, rust_2018_idioms)]

use agent_core::{ToolSchema, tool, tools};

/**
 * In a block,
 * of two lines.
 */
#[tool]
pub async fn block(
    /** A number. */
    number: u32,
) -> u32 {
    number
}

#[doc = "From an attribute, "]
#[doc = concat!("and from ", "a macro.")]
#[tool]
pub async fn attribute(
    #[doc = concat!("A ", "number.")] number: u32,
) -> u32 {
    number
}

/// An order.
#[derive(serde::Deserialize, ToolSchema)]
pub struct Order {
    #[doc = concat!("A ", "number.")]
    pub number: u32,
}

/// Hidden from rustdoc, with "quotes", a \ and {braces}.
#[doc(hidden)]
#[tool]
pub async fn hidden(
    /// The order, with "quotes" and {braces}.
    order: Order,
) -> u32 {
    order.number
}

fn main() {
    let _ = tools![block, attribute, hidden];
}
