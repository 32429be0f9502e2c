//! Why a store could not do what it was asked for.

use std::error::Error as StdError;
use std::fmt;

/// Why a store of claims or of runs could not answer. The variants are what the caller can do about it.
///
/// After every one of them the store is as it was before, or as it was asked to become; nothing is half done.
/// Whoever was to run an effect does not run it after a failed claim, and may ask the store again about a failed
/// settlement. A claim of which only the answer was lost becomes unknown when its lease is over, though its call was not
/// run: there an operator finds nothing done, and releases it.
///
/// ```
/// use agent_core::idempotency::{Cause, StoreError};
///
/// let error = StoreError::Full(Cause::new("the disk of `claims.db` has no room").because(std::io::Error::other("13")));
/// assert_eq!(error.to_string(), "the store is full: the disk of `claims.db` has no room");
/// assert!(std::error::Error::source(&error).is_some());
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum StoreError {
    /// The claim or the run is no longer the caller's: it was settled, given up, resolved or taken by somebody else.
    LostFence,
    /// There is no room: make some.
    Full(Cause),
    /// The store may be read and not be written: give it the right to write.
    ReadOnly(Cause),
    /// What is stored cannot be read as what it should be: restore it from a copy, and treat everything that was claimed
    /// since the copy was made as unknown, since the copy does not know of it and would let it happen again.
    Damaged(Cause),
    /// Somebody else holds the store for too long: try again.
    Busy(Cause),
    /// The server cannot be reached, or went away in the middle: try again. What was asked for may have been done.
    Unreachable(Cause),
    /// What is stored was written by a newer version of this crate, or by one too old: use the right one.
    Version(Cause),
    /// Anything else.
    Failed(Cause),
}

/// What failed, and why.
#[derive(Debug)]
pub struct Cause {
    message: String,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

impl Cause {
    /// What failed.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), source: None }
    }

    /// With the error behind it.
    #[must_use]
    pub fn because(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }
}

impl StoreError {
    /// A failure of the store itself.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::Failed(Cause::new(message))
    }

    /// Whether the same may succeed later without anybody doing anything.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Busy(_) | Self::Unreachable(_))
    }

    fn parts(&self) -> (&'static str, Option<&Cause>) {
        match self {
            Self::LostFence => ("no longer held: somebody else has settled, resolved, released or taken it", None),
            Self::Full(cause) => ("the store is full", Some(cause)),
            Self::ReadOnly(cause) => ("the store is read-only", Some(cause)),
            Self::Damaged(cause) => ("the store is damaged", Some(cause)),
            Self::Busy(cause) => ("the store is busy", Some(cause)),
            Self::Unreachable(cause) => ("the store cannot be reached", Some(cause)),
            Self::Version(cause) => ("the store has another version", Some(cause)),
            Self::Failed(cause) => ("the store failed", Some(cause)),
        }
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.parts() {
            (what, None) => f.write_str(what),
            (what, Some(cause)) => write!(f, "{what}: {}", cause.message),
        }
    }
}

impl StdError for StoreError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        let source = self.parts().1?.source.as_deref()?;
        Some(source)
    }
}
