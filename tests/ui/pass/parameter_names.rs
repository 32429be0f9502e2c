//! Names that generated code might use itself.
#![deny(warnings, missing_docs, unsafe_code, unreachable_pub, clippy::all, clippy::pedantic, rust_2018_idioms)]

use agent_core::{CallContext, tool, tools};

/// A value of this name.
#[allow(non_upper_case_globals)]
pub const value: u8 = 1;
/// A type of this name.
pub struct T;

/// Adds.
#[tool]
pub async fn prepare(
    /// One.
    args: u32,
    /// Two.
    ctx: u32,
    /// Three.
    self_: u32,
    /// Four.
    arguments: u32,
    /// Five.
    state: u32,
    /// Six.
    index: u32,
    /// Seven.
    read: u32,
    /// Eight.
    this: u32,
    /// Nine.
    returned: u32,
    call: &CallContext,
) -> u32 {
    let _ = call;
    args + ctx + self_ + arguments + state + index + read + this + returned
}

/// Has the name of a local.
#[tool]
pub async fn call(
    /// Has the tool's name.
    call: u32,
) -> u32 {
    call
}

/// Has the name of a method.
#[tool]
pub async fn outcome(it: &T) -> u8 {
    let _ = it;
    value
}

fn main() {
    let _ = tools![prepare, call, outcome];
}
