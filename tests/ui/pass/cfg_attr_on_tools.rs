//! What a `cfg_attr` brings to the function itself.
#![deny(warnings, missing_docs, unsafe_code, unreachable_pub, clippy::all, clippy::pedantic, rust_2018_idioms)]

use agent_core::{tool, tools};

/// Is described
#[tool]
#[cfg_attr(feature = "on", doc = "in two places.")]
pub async fn below() {}

#[cfg_attr(feature = "on", doc = "Is described by its condition.")]
#[cfg_attr(feature = "on", tool(name = "aboveAll"))]
pub async fn above() {}

/// Has parameters with attributes of others.
#[tool]
pub async fn other(
    /// A number.
    #[cfg_attr(feature = "on", allow(unused_variables))]
    number: u32,
    /// Another.
    #[allow(unused_variables)]
    another: u32,
) {
}

fn main() {
    let _ = tools![below, above, other];
}
