//! Tools that are there or not, and two of one name of which one is.
#![deny(warnings, missing_docs, unsafe_code, unreachable_pub, clippy::all, clippy::pedantic, rust_2018_idioms)]

use agent_core::{tool, tools};

/// Is there.
#[tool]
#[cfg(feature = "on")]
pub async fn chosen() -> u8 {
    1
}

/// Is not there, nor is what it names.
#[cfg(feature = "off")]
#[tool(mutating, unrestricted, reconcile = missing::function)]
pub async fn chosen(
    /// Of no type.
    it: Missing,
    ledger: &Missing,
) -> Missing {
    missing
}

/// Is not there.
#[cfg(feature = "off")]
pub mod absent {
    /// Is not there either.
    #[tool]
    pub async fn tool() {}
}

fn main() {
    let _ = tools![chosen];
}
