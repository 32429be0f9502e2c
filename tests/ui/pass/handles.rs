//! Structs with other names than their tools, where something else has them.
#![deny(warnings, missing_docs, unsafe_code, unreachable_pub, clippy::all, clippy::pedantic, rust_2018_idioms)]

use agent_core::{tool, tools};

/// A module of the tool's name.
pub mod orders {
    use agent_core::tool;

    /// Is in the module of its name.
    #[tool(handle = Orders)]
    pub async fn orders() {}
}

/// A type of the tool's name.
#[allow(non_camel_case_types)]
pub struct account {}

/// Reads orders.
#[tool(handle = ReadOrders)]
pub async fn orders() -> u8 {
    1
}

/// Reads an account.
#[tool(handle = ReadAccount)]
pub async fn account() -> u8 {
    1
}

/// Has the name of a crate.
#[tool(handle = Serde)]
pub async fn serde() -> u8 {
    1
}

fn main() {
    let _ = tools![ReadOrders, ReadAccount, Serde];
    let _ = tools![orders::Orders];
}
