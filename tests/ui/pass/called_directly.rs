//! The function stays the user's.
#![deny(warnings, missing_docs, unsafe_code, unreachable_pub, clippy::all, clippy::pedantic, rust_2018_idioms)]

use agent_core::{BusinessError, tool};

/// A ledger.
pub struct Ledger(u32);

/// Books.
#[tool(mutating, unrestricted)]
pub async fn book(
    /// How much.
    amount: u32,
    ledger: &Ledger,
) -> Result<u32, BusinessError> {
    Ok(ledger.0 + amount)
}

/// Takes it as a value.
pub fn takes<F: AsyncFn(u32, &Ledger) -> Result<u32, BusinessError>>(_: F) {}

/// Calls it.
///
/// # Errors
///
/// As the tool says.
pub async fn twice(ledger: &Ledger) -> Result<u32, BusinessError> {
    Ok(book(1, ledger).await? + self::book(2, ledger).await?)
}

fn main() {
    takes(book);
    drop(twice(&Ledger(1)));
}
