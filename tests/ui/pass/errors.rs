//! Errors that say what they are: enums, structs, generic ones, and with a path to the runtime.
#![deny(warnings, missing_docs, unsafe_code, unreachable_pub, clippy::all, clippy::pedantic, rust_2018_idioms)]

use agent_core::{ToolError, tool, tools};

macro_rules! error {
    ($($name:ident)*) => {$(
        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("bad")
            }
        }
        impl std::error::Error for $name {}
    )*};
}

/// An enum.
#[derive(Debug, ToolError)]
#[tool(crate = ::agent_core)]
pub enum Many {
    /// Of the domain.
    #[tool(business("TOO_MANY"))]
    TooMany {
        /// How many.
        count: u32,
    },
    /// A fault.
    #[tool(fatal, transient)]
    Lost(std::io::ErrorKind),
    /// Another.
    #[tool(fatal, not_done)]
    Never,
}

/// A struct.
#[derive(Debug, ToolError)]
#[tool(business("ONE"), crate = ::agent_core)]
pub struct One(u8);

/// Without variants.
#[derive(Debug, ToolError)]
pub enum No {}

error!(Many One No);

/// Fails in one way.
#[tool]
pub async fn one() -> Result<u8, One> {
    Err(One(1))
}

/// Fails in many ways.
#[tool]
pub async fn many() -> Result<u8, Many> {
    Err(Many::TooMany { count: 1 })
}

fn main() {
    let _ = tools![one, many];
    let _ = (Many::Lost(std::io::ErrorKind::NotFound), Many::Never, One(1).0);
}
