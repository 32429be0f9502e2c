//! What is held for a time, and held on to: the rhythm of renewals, and when they can no longer be relied on.

use std::convert::Infallible;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use tokio::time::{Instant, sleep_until, timeout_at};

use crate::dispatch::after;
use crate::idempotency::StoreError;

/// The least length of a lease: a store has a quarter of it for each renewal, and counts in milliseconds.
pub(crate) const LEAST: Duration = Duration::from_millis(100);

/// A lease, and when it was last asked for.
#[derive(Debug)]
pub(crate) struct Lease {
    length: Duration,
    asked: Mutex<Moment>,
}

/// A moment on two clocks: the first may stand still while the machine sleeps, and the second may be set.
#[derive(Debug, Clone, Copy)]
struct Moment {
    monotonic: Instant,
    wall: SystemTime,
}

impl Moment {
    fn now() -> Self {
        Self { monotonic: Instant::now(), wall: SystemTime::now() }
    }

    /// How long ago it was, by the clock that says more.
    fn elapsed(self) -> Duration {
        self.monotonic.elapsed().max(self.wall.elapsed().unwrap_or_default())
    }
}

impl Lease {
    /// A lease of this length, or of the least one, asked for now.
    pub(crate) fn new(length: Duration) -> Self {
        Self { length: length.max(LEAST), asked: Mutex::new(Moment::now()) }
    }

    pub(crate) fn length(&self) -> Duration {
        self.length
    }

    /// Notes that it is asked for now.
    pub(crate) fn begins(&self) {
        self.begin(Moment::now());
    }

    fn begin(&self, asked: Moment) {
        *self.asked.lock().unwrap_or_else(PoisonError::into_inner) = asked;
    }

    /// When it was asked for, as far as that was granted.
    fn asked(&self) -> Moment {
        *self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether so much of it has passed that this process, or its store, stood still: renewals come sooner.
    pub(crate) fn is_old(&self) -> bool {
        self.asked().elapsed() > self.length / 3
    }

    /// Asks for it again.
    pub(crate) async fn renew(&self, ask: impl Future<Output = Result<(), StoreError>>) -> Result<(), StoreError> {
        let asked = Moment::now();
        ask.await?;
        self.begin(asked);
        Ok(())
    }

    /// Renews it for as long as this is polled: four times in its length, each try ended by the next, so that one which
    /// hangs costs no more than one which fails, and two of them in a row do not lose it. Whoever polls it in several parts
    /// misses none.
    pub(crate) async fn keep<F>(&self, what: &str, ask: impl Fn() -> F) -> Infallible
    where
        F: Future<Output = Result<(), StoreError>>,
    {
        let mut next = after(self.asked().monotonic, self.length / 4);
        loop {
            sleep_until(next).await;
            // From now, where the process stood still: what it has missed is not made up for.
            next = after(next.max(Instant::now()), self.length / 4);
            match timeout_at(next, self.renew(ask())).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => tracing::warn!(%error, "{what} could not be renewed"),
                Err(_) => tracing::warn!("{what} could not be renewed: the store did not answer"),
            }
        }
    }
}
