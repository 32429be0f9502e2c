//! Parameters and tools with names that generated code might use.
#![deny(warnings, missing_docs, unsafe_code, unreachable_pub, clippy::all, rust_2018_idioms)]

use agent_core::{CallContext, tool, tools};

/// Does what it is told.
#[tool(name = "do")]
pub async fn r#do(
    /// A type.
    r#type: u32,
    /// Arguments.
    arguments: u32,
    /// Short.
    args: u32,
    /// State.
    state: u32,
    /// Self.
    self_: u32,
    /// Call.
    call: u32,
    /// Result.
    result: u32,
    ctx: &CallContext,
) -> u32 {
    let _ = ctx;
    r#type + arguments + args + state + self_ + call + result
}

/// Has a raw name.
#[tool]
pub async fn r#match(
    /// A number.
    mut number: u32,
) -> u32 {
    number += 1;
    number
}

/// Has a struct of another name.
#[tool(handle = OtherTool)]
pub async fn other() {}

/// A module of the tool's name.
pub mod other {}

fn main() {
    let _ = tools![r#do, r#match, OtherTool];
}
