//! Parameters and tools with names that generated code might use.
#![deny(warnings, missing_docs, unsafe_code, unreachable_pub, clippy::all, rust_2018_idioms)]

use agent_core::{CallContext, tool, tools};

/// Does what it is told.
#[tool(name = "do")]
pub async fn r#do(
    /// A type.
    r#type: u64,
    /// Arguments.
    arguments: u64,
    /// Short.
    args: u64,
    /// State.
    state: u64,
    /// Self.
    self_: u64,
    /// Call.
    call: u64,
    /// Result.
    result: u64,
    ctx: &CallContext,
) -> u64 {
    let _ = ctx;
    r#type + arguments + args + state + self_ + call + result
}

/// Has a raw name.
#[tool]
pub async fn r#match(
    /// A number.
    mut number: u64,
) -> u64 {
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
