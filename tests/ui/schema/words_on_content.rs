//! Words on what a variant holds.

use agent_core::ToolSchema;

#[derive(serde::Deserialize, ToolSchema)]
enum Id {
    /// A number.
    Number(#[arg(minimum = 1)] u32), //~ this variant has the schema of what it holds; name the field
    /// None.
    Nothing,
}

fn main() {}
