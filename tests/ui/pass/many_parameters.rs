//! More parameters than clippy likes, and nothing to wait for.
#![deny(warnings, missing_docs, unsafe_code, unreachable_pub, clippy::all, clippy::pedantic, rust_2018_idioms)]

use agent_core::tool;

/// Adds.
#[tool]
pub async fn add(
    /// One.
    a: u32,
    /// Two.
    b: u32,
    /// Three.
    c: u32,
    /// Four.
    d: u32,
    /// Five.
    e: u32,
    /// Six.
    f: u32,
    /// Seven.
    g: u32,
    /// Eight.
    h: u32,
) -> u32 {
    a + b + c + d + e + f + g + h
}

fn main() {}
