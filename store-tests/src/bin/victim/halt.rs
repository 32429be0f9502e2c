//! The points at which the program may be killed.

use std::io::Write;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use agent_core::idempotency::{Claim, ClaimRequest, Fence, IdempotencyKey, IdempotencyStore, Settled, StoreError};
use async_trait::async_trait;

use super::Wrong;

static POINT: OnceLock<Option<String>> = OnceLock::new();

/// Where to stop, if anywhere.
pub(super) fn at(point: Option<&str>) {
    POINT.get_or_init(|| point.map(str::to_owned));
}

/// Stops here for good, if this is the point: the process waits to be killed.
pub(super) fn halt(here: &str) {
    if POINT.get().is_some_and(|point| point.as_deref() == Some(here)) {
        // Without its line the test gives up on this process.
        let _ = say(format_args!("at {here}"));
        loop {
            std::thread::park();
        }
    }
}

#[expect(clippy::print_stdout, reason = "how it speaks to the test")]
pub(super) fn say(what: impl std::fmt::Display) -> Result<(), Wrong> {
    println!("{what}");
    Ok(std::io::stdout().flush()?)
}

/// A store with points before and after, and with short leases: the next process need not wait long.
pub(super) struct Halting(pub(super) Arc<dyn IdempotencyStore>);

/// Long enough for what the tools do, short enough to wait for.
const LEASE: Duration = Duration::from_millis(1500);

#[async_trait]
impl IdempotencyStore for Halting {
    async fn claim(&self, request: &ClaimRequest<'_>) -> Result<Claim, StoreError> {
        halt("before claim");
        let claim = self.0.claim(&request.lease(LEASE)).await;
        halt("after claim");
        claim
    }

    async fn renew(&self, key: &IdempotencyKey, fence: Fence, _lease: Duration) -> Result<(), StoreError> {
        self.0.renew(key, fence, LEASE).await
    }

    async fn settle(&self, key: &IdempotencyKey, fence: Fence, settled: &Settled) -> Result<(), StoreError> {
        halt("before settle");
        let settled = self.0.settle(key, fence, settled).await;
        halt("after settle");
        settled
    }

    async fn release(&self, key: &IdempotencyKey, fence: Fence) -> Result<(), StoreError> {
        self.0.release(key, fence).await
    }

    async fn mark_unknown(&self, key: &IdempotencyKey, fence: Fence, cause: &str) -> Result<(), StoreError> {
        self.0.mark_unknown(key, fence, cause).await
    }
}
