//! Names of the prelude that mean something else.
#![deny(warnings, missing_docs, unsafe_code, unreachable_pub, clippy::all, rust_2018_idioms)]

use agent_core::{BusinessError, CallContext, State, ToolError, ToolSchema, tool, tools};

/// Not the one of the prelude.
pub struct Vec;
/// Not the one of the prelude.
pub struct Option;
/// Not the one of the prelude.
pub struct String;
/// Not the one of the prelude.
pub struct Box;
/// Not the one of the prelude.
pub trait Send {}
/// Not the one of the prelude.
pub trait Sync {}
/// Not the one of the prelude.
pub trait Copy {}
/// Not the one of the prelude.
pub trait Clone {}
/// Not the one of the prelude.
pub trait From {}
/// Not the one of the prelude.
#[allow(non_snake_case)]
pub fn Ok() {}
/// Not the one of the prelude.
#[allow(non_snake_case)]
pub fn Err() {}
/// Not the one of the prelude.
#[allow(non_snake_case)]
pub fn Some() {}
/// Not the one of the prelude.
#[allow(non_upper_case_globals)]
pub const None: u8 = 0;
/// Not the one of the standard library.
pub mod core {}
/// Not the one of the standard library.
pub mod std {}
/// Takes one argument only.
pub type Result<T> = ::core::result::Result<T, BusinessError>;

#[allow(unused_macros)]
macro_rules! panic {
    () => {};
}
#[allow(unused_macros)]
macro_rules! concat {
    () => {};
}

/// An order.
#[derive(::serde::Deserialize, ToolSchema)]
pub struct Order {
    /// The number.
    #[arg(minimum = 1, default = 2, example = 3)]
    pub number: u64,
    /// The names.
    pub names: ::std::vec::Vec<::std::string::String>,
    /// The kind.
    pub kind: Kind,
}

/// A kind.
#[derive(::serde::Deserialize, ToolSchema)]
pub enum Kind {
    /// This.
    This,
    /// That.
    That {
        /// Of what.
        of: ::core::option::Option<u8>,
    },
}

/// Bad.
#[derive(Debug, ToolError)]
pub enum Bad {
    /// So.
    #[tool(business("BAD"))]
    So,
    /// Otherwise.
    #[tool(fatal, transient)]
    Otherwise,
}

impl ::core::fmt::Display for Bad {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        f.write_str("bad")
    }
}

impl ::core::error::Error for Bad {}

/// What tools borrow.
#[derive(State)]
pub struct App {
    /// Shared.
    pub ledger: ::std::sync::Arc<Ledger>,
    /// Boxed.
    pub boxed: ::std::boxed::Box<u16>,
}

/// A ledger.
pub struct Ledger;

/// Orders.
#[tool(mutating, unrestricted)]
pub async fn order(
    /// The order.
    order: Order,
    ledger: &Ledger,
    count: &u16,
    call: &CallContext,
) -> Result<u64> {
    let _ = (ledger, count, call, order.names, order.kind);
    ::core::result::Result::Ok(order.number)
}

/// Fails.
#[tool]
pub async fn fail() -> ::core::result::Result<u8, Bad> {
    ::core::result::Result::Err(Bad::So)
}

fn main() {
    let _ = tools![order, fail];
}
