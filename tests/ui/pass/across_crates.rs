//! Tools of another crate.
#![deny(warnings, missing_docs, unsafe_code, unreachable_pub, clippy::all, clippy::pedantic, rust_2018_idioms)]

use agent_core::{Offer, State, tool, tools};
use agent_tests_shapes::{Ledger, balance};

/// What tools borrow.
#[derive(State)]
pub struct App {
    /// Of the other crate.
    pub ledger: Ledger,
}

/// Is of this crate, and calls the other.
#[tool]
pub async fn twice(
    /// Whose.
    account: String,
    ledger: &Ledger,
) -> u32 {
    2 * balance(account, ledger).await
}

/// Takes lists that are attached.
pub fn needs<S, L: Offer<S>>(_: L, _: &S) {}

fn main() {
    needs(tools![balance, twice], &App { ledger: Ledger });
    needs(tools![agent_tests_shapes::balance], &Ledger);
}
