//! Attributes of others above and below.
#![deny(warnings, missing_docs, unsafe_code, unreachable_pub, clippy::all, clippy::pedantic, rust_2018_idioms)]

use agent_core::{tool, tools};

/// Is inlined.
#[inline]
#[tool]
#[must_use]
#[allow(clippy::unused_async)]
pub async fn inlined() -> u8 {
    1
}

/// Has a body of its own.
#[tool]
#[expect(unused_variables, reason = "it is shown only")]
pub async fn shown(
    /// A number.
    number: u32,
) {
}

/// Is changed in place.
#[agent_core::tool]
pub async fn changed(
    /// A number.
    mut number: u32,
) -> u32 {
    number += 1;
    number
}

fn main() {
    let _ = tools![inlined, shown, changed];
}
