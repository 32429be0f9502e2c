//! Integers that JSON cannot hold, and an object of any keys.

use agent_core::tool;

/// Adds.
#[tool]
async fn add(
    /// One.
    a: u128, //~ `add.a` is a `u128`, which JSON numbers cannot hold; use `u64`, or a `String` of digits
    /// Two.
    b: i128, //~ `add.b` is an `i128`, which JSON numbers cannot hold; use `i64`, or a `String` of digits
    /// Three.
    c: serde_json::Map<String, serde_json::Value>, //~ `add.c` is a `serde_json::Map` with open keys
) {
    let _ = (a, b, c);
}

fn main() {}
