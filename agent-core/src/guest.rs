//! Code that somebody else wrote: its panics end here, also those of what it leaves to be dropped.

use std::any::Any;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::Poll;

use crate::idempotency::StoreError;

/// What `run` gives, or nothing where it panics.
pub(crate) fn quiet<T>(run: impl FnOnce() -> T) -> Option<T> {
    // What the closures borrow is only read, or is thrown away after a panic, so nothing half changed is seen.
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(value) => Some(value),
        Err(payload) => {
            discard(payload);
            None
        }
    }
}

/// Lets go of what a panic carried; that may panic again, and so may what comes of it.
pub(crate) fn discard(payload: Box<dyn Any + Send>) {
    if let Err(again) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        std::mem::forget(again);
    }
}

/// What the future gives, or nothing where it panics, or its making does.
pub(crate) async fn awaited<'a, T>(make: impl FnOnce() -> Pin<Box<dyn Future<Output = T> + Send + 'a>>) -> Option<T> {
    let mut future = Theirs::new(quiet(make)?);
    poll_fn(move |context| match quiet(|| future.get_mut().as_mut().map(|future| future.as_mut().poll(context))) {
        Some(Some(Poll::Pending)) => Poll::Pending,
        Some(Some(Poll::Ready(value))) => Poll::Ready(Some(value)),
        // It panicked, now or before.
        Some(None) | None => {
            future.clear();
            Poll::Ready(None)
        }
    })
    .await
}

/// What a store answers; a panic in it is a failure.
pub(crate) async fn answered<'a, T>(
    ask: impl FnOnce() -> Pin<Box<dyn Future<Output = Result<T, StoreError>> + Send + 'a>>,
) -> Result<T, StoreError> {
    awaited(ask).await.unwrap_or_else(|| Err(StoreError::failed("it panicked; see its own output")))
}

/// A value whose drop is code that somebody else wrote.
pub(crate) struct Theirs<T>(Option<T>);

impl<T> Theirs<T> {
    pub(crate) fn new(value: T) -> Self {
        Self(Some(value))
    }

    pub(crate) fn into_inner(mut self) -> Option<T> {
        self.0.take()
    }

    fn get_mut(&mut self) -> &mut Option<T> {
        &mut self.0
    }

    fn clear(&mut self) {
        if let Some(value) = self.0.take() {
            quiet(|| drop(value));
        }
    }
}

impl<T, F: Future<Output = T> + ?Sized> Theirs<Pin<Box<F>>> {
    /// What a future gives at once; nothing where it panics. One that has ended is let go of.
    pub(crate) async fn poll_once(&mut self) -> Option<Poll<T>> {
        let polled = poll_fn(|context| {
            Poll::Ready(quiet(|| self.0.as_mut().map(|future| future.as_mut().poll(context))).flatten())
        })
        .await;
        if !matches!(polled, Some(Poll::Pending)) {
            self.clear();
        }
        polled
    }
}

impl<T> Drop for Theirs<T> {
    fn drop(&mut self) {
        self.clear();
    }
}
