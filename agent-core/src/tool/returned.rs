//! Tells a function that returns a value from one that returns a `Result`, by type and not by spelling.

use serde::Serialize;
use serde_json::value::RawValue;

use crate::tool::error::ToolError;

/// How a tool's function ended.
#[derive(Debug)]
pub enum Outcome {
    /// A value, as JSON.
    Value(Box<RawValue>),
    /// A value that cannot be written as JSON. What the function does is done.
    Unreadable(serde_json::Error),
    /// An error.
    Failed(ToolError),
}

impl Outcome {
    /// The outcome of a closure.
    #[cfg(feature = "jsonschema")]
    pub(crate) fn from_result<T: Serialize>(result: Result<T, ToolError>) -> Self {
        match result {
            Ok(value) => Self::of(&value),
            Err(error) => Self::Failed(error),
        }
    }

    fn of<T: Serialize>(value: &T) -> Self {
        match serde_json::value::to_raw_value(value) {
            Ok(json) => Self::Value(json),
            Err(error) => Self::Unreadable(error),
        }
    }
}

/// What a tool's function returned.
///
/// `.outcome()` on a `Result` is the inherent method, which comes before that of [`ReturnsValue`];
/// so aliases of `Result` count as one.
#[derive(Debug)]
pub struct Returned<T>(pub T);

impl<T, E> Returned<Result<T, E>> {
    /// The outcome of a function that can fail.
    pub fn outcome(self) -> Outcome
    where
        T: Serialize,
        E: ToolFailure,
    {
        match self.0 {
            Ok(value) => Outcome::of(&value),
            Err(error) => Outcome::Failed(error.into_tool_error()),
        }
    }
}

/// What a tool's `reconcile` function returned: did it happen?
#[derive(Debug)]
pub struct Reconciled<T>(pub T);

impl<R> Reconciled<R> {
    /// The outcome that the call had; none where it has not happened.
    pub fn outcome(self) -> Option<Outcome>
    where
        R: Reconciles,
    {
        self.0.outcome()
    }
}

/// Whether a call has happened, and with which value.
#[diagnostic::on_unimplemented(
    message = "a `reconcile` function returns `Result<Option<T>, E>`, not `{Self}`",
    label = "this function does not say whether the call has happened",
    note = "`Ok(Some(value))`: it has, and gave this value; `Ok(None)`: it has not; `Err(error)`: that cannot be told"
)]
pub trait Reconciles {
    /// The outcome that the call had; none where it has not happened.
    fn outcome(self) -> Option<Outcome>;
}

#[diagnostic::do_not_recommend]
impl<T: Serialize, E: ToolFailure> Reconciles for Result<Option<T>, E> {
    fn outcome(self) -> Option<Outcome> {
        match self {
            Ok(value) => value.map(|value| Outcome::of(&value)),
            Err(error) => Some(Outcome::Failed(error.into_tool_error())),
        }
    }
}

/// The outcome of a function that cannot fail.
///
/// The bound stands on the method, so that a value that cannot be serialised is an error about that
/// value and not about a method that does not exist.
pub trait ReturnsValue<T> {
    /// The value as an outcome.
    fn outcome(self) -> Outcome
    where
        T: Serialize;
}

impl<T> ReturnsValue<T> for Returned<T> {
    fn outcome(self) -> Outcome
    where
        T: Serialize,
    {
        Outcome::of(&self.0)
    }
}

/// An error that a tool may return: whatever is `Into<ToolError>`.
#[diagnostic::on_unimplemented(
    message = "a tool cannot fail with `{Self}`",
    label = "this error is neither a business error nor fatal",
    note = "return `ToolError`, and carry foreign errors out with `.fatal()?` (of the trait `OrFatal`); or return `BusinessError`, derive `ToolError` on an error of yours, or implement `From<{Self}> for ToolError`"
)]
pub trait ToolFailure {
    /// The error as a [`ToolError`].
    fn into_tool_error(self) -> ToolError;
}

#[diagnostic::do_not_recommend]
impl<E: Into<ToolError>> ToolFailure for E {
    fn into_tool_error(self) -> ToolError {
        self.into()
    }
}
