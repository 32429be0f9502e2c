//! Parameters that are there or not, filled in and borrowed.
#![deny(warnings, missing_docs, unsafe_code, unreachable_pub, clippy::all, clippy::pedantic, rust_2018_idioms)]

use agent_core::{CallContext, Offer, State, tool, tools};

/// A ledger.
pub struct Ledger;
/// A clock.
pub trait Clock: Send + Sync {}

/// What tools borrow.
#[derive(State)]
pub struct App {
    /// The ledger.
    pub ledger: Ledger,
}

/// Some are not there, and their types are not either.
#[tool]
pub async fn conditional(
    /// Is not there.
    #[cfg(feature = "off")]
    #[arg(minimum = 1, default = 2)]
    absent: Missing,
    #[cfg(feature = "off")] nothing: &Missing,
    #[cfg(all(feature = "on", feature = "off"))] no_clock: &dyn Clock,
    /// Is there.
    #[cfg(feature = "on")]
    #[arg(minimum = 1)]
    present: u32,
    #[cfg(feature = "on")]
    #[cfg(not(feature = "off"))]
    ledger: &Ledger,
    #[cfg(feature = "off")] of: &Missing,
    #[cfg(feature = "on")] call: &CallContext,
    /// Is always there.
    last: u32,
) -> u32 {
    let _ = (ledger, call);
    present + last
}

/// One name under two conditions.
#[tool]
pub async fn either(
    /// As text.
    #[cfg(feature = "off")]
    id: String,
    /// As a number.
    #[cfg(not(feature = "off"))]
    id: u32,
    #[cfg(feature = "on")] ledger: &Ledger,
    #[cfg(not(feature = "on"))] ledger: &u8,
) -> u32 {
    let _ = ledger;
    id
}

/// Takes lists that are attached.
pub fn needs<S, L: Offer<S>>(_: L, _: &S) {}

fn main() {
    needs(tools![conditional, either], &App { ledger: Ledger });
}
