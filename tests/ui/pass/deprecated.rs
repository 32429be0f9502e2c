//! What is deprecated is said where it is used, not where it is made a tool.
#![deny(warnings, missing_docs, unsafe_code, unreachable_pub, clippy::all, rust_2018_idioms)]

use agent_core::{State, ToolError, ToolSchema, tool};

/// Is old.
#[tool(mutating, unrestricted)]
#[deprecated = "take another"]
pub async fn old(
    /// A number.
    #[arg(minimum = 1)]
    number: u32,
) -> u32 {
    number
}

/// Is old.
#[derive(serde::Deserialize, ToolSchema)]
#[deprecated]
pub struct Order {
    /// Is older.
    #[deprecated]
    pub number: u32,
}

/// Is bad.
#[derive(Debug, ToolError)]
pub enum Bad {
    /// Is old.
    #[deprecated]
    #[tool(fatal)]
    Old,
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
    /// Is old.
    #[deprecated]
    pub count: u16,
}

fn main() {}
