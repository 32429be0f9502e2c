//! Code that somebody else wrote: its panics end here.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

#[cfg(any(feature = "audit", feature = "report", feature = "steps"))]
use agent_core::telemetry::{Content, Redact};

/// What a panic carried.
pub(crate) type Payload = Box<dyn Any + Send>;

/// What `run` gives, or what its panic carried.
pub(crate) fn caught<T>(run: impl FnOnce() -> T) -> Result<T, Payload> {
    // What the closures borrow is only read, or is whole after a panic of the code that is called.
    catch_unwind(AssertUnwindSafe(run))
}

/// Lets go of what a panic carried; that may panic again, and so may what comes of it.
pub(crate) fn discard(payload: Payload) {
    if let Err(again) = caught(|| drop(payload)) {
        std::mem::forget(again);
    }
}

/// What may be told of a content; nothing where its hook panics.
#[cfg(any(feature = "audit", feature = "report", feature = "steps"))]
pub(crate) fn redacted(redact: &dyn Redact, content: Content<'_>) -> String {
    caught(|| redact.redact(content)).unwrap_or_else(|payload| {
        discard(payload);
        "(the redaction hook panicked)".to_owned()
    })
}
