//! What the host lends to tools.

/// Holds a `T` that tools may borrow: a parameter `ledger: &Ledger` is filled by `Provide<Ledger>`.
///
/// Derive [`State`](crate::State) on the struct that holds what your tools need; it provides each
/// field. A single value provides itself.
#[diagnostic::on_unimplemented(
    message = "the agent's state does not hold a `{T}`",
    label = "a tool of this agent borrows `&{T}`",
    note = "add a field of type `{T}` to the struct given to `.state(..)` and derive `State` on it, or implement `Provide<{T}>`; `.state(..)` takes that struct by value, `.shared_state(..)` an `Arc` of it"
)]
pub trait Provide<T: ?Sized> {
    /// Lends the value.
    fn provide(&self) -> &T;
}

impl<T: ?Sized> Provide<T> for T {
    fn provide(&self) -> &T {
        self
    }
}
