//! What tools give back: values, results, and aliases of both.
#![deny(warnings, missing_docs, unsafe_code, unreachable_pub, clippy::all, clippy::pedantic, rust_2018_idioms)]

use agent_core::{BusinessError, OrFatal, ToolError, tool, tools};

/// Of one argument.
pub type Result<T> = std::result::Result<T, BusinessError>;
/// Of none.
pub type Done = std::result::Result<(), ToolError>;
/// Another name.
pub type Count = u32;
mod errors {
    pub(crate) use std::result::Result as Outcome;
}
use errors::Outcome;

/// Gives nothing.
#[tool]
pub async fn nothing() {}

/// Gives a value.
#[tool]
pub async fn value() -> Count {
    1
}

/// Gives what serialises.
#[tool]
pub async fn opaque() -> impl serde::Serialize + use<> {
    [1, 2]
}

/// Gives an option.
#[tool]
pub async fn option() -> Option<Vec<u8>> {
    None
}

/// Gives an alias of `Result`.
#[tool]
pub async fn alias() -> Result<u8> {
    Err(BusinessError::new("NO", "no"))
}

/// Gives an alias of no argument.
#[tool]
pub async fn done() -> Done {
    std::fs::read("notes").fatal()?;
    Ok(())
}

/// Gives `Result` by another name.
#[tool]
pub async fn renamed() -> Outcome<u8, ToolError> {
    Ok(1)
}

fn main() {
    let _ = tools![nothing, value, opaque, option, alias, done, renamed];
}
