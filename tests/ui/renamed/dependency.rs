//! A crate that calls the runtime otherwise, and depends on nothing else but serde.
#![deny(warnings, missing_docs, unsafe_code, unreachable_pub, clippy::all, rust_2018_idioms)]

use agents::{BusinessError, Offer, State, ToolError, ToolSchema, tool, tools};

/// An order.
#[derive(serde::Deserialize, ToolSchema)]
#[arg(crate = ::agents)]
pub struct Order {
    /// The number.
    #[arg(minimum = 1, default = 2)]
    pub number: u32,
    /// How.
    pub kind: Kind,
}

/// A kind.
#[derive(serde::Deserialize, ToolSchema)]
#[arg(crate = agents)]
pub enum Kind {
    /// This.
    This,
    /// That.
    That {
        /// Of what.
        of: Option<u8>,
    },
}

/// Bad.
#[derive(Debug, ToolError)]
#[tool(crate = ::agents)]
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
#[state(crate = ::agents)]
pub struct App {
    /// A count.
    pub count: u16,
}

/// Orders.
#[tool(crate = ::agents, mutating, unrestricted)]
pub async fn order(
    /// The order.
    order: Order,
    #[cfg(feature = "off")] missing: &Missing,
    count: &u16,
) -> Result<u32, Bad> {
    let _ = order.kind;
    Ok(order.number + u32::from(*count))
}

/// Fails.
#[tool(crate = agents)]
pub async fn fail() -> Result<(), BusinessError> {
    Ok(())
}

/// Takes lists that are attached.
pub fn needs<S, L: Offer<S>>(_: L, _: &S) {}

fn main() {
    needs(tools![crate = ::agents; order, fail], &App { count: 1 });
}
