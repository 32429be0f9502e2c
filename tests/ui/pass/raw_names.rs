//! Raw identifiers, of tools, parameters, fields and variants.
#![deny(warnings, missing_docs, unsafe_code, unreachable_pub, clippy::all, clippy::pedantic, rust_2018_idioms)]

use agent_core::{ToolSchema, tool, tools};

/// An order.
#[derive(serde::Deserialize, ToolSchema)]
#[serde(rename_all = "camelCase")]
pub struct Order {
    /// The type.
    pub r#type: Kind,
    /// The match.
    #[arg(minimum = 1)]
    pub r#match: u32,
}

/// A type.
#[derive(serde::Deserialize, ToolSchema)]
#[allow(non_camel_case_types)]
pub enum Kind {
    /// One.
    r#fn,
    /// Two.
    r#struct {
        /// In.
        r#in: u8,
    },
}

/// Matches.
#[tool(rename_all = "kebab-case")]
pub async fn r#match(
    /// The order.
    r#type: Order,
    /// Where.
    r#where: Option<u32>,
) -> u32 {
    r#type.r#match + r#where.unwrap_or(0)
}

/// Loops.
#[tool(handle = Loop)]
pub async fn r#loop(#[arg(flatten)] r#for: Order) -> u32 {
    r#for.r#match
}

fn main() {
    let _ = tools![r#match, Loop];
}
