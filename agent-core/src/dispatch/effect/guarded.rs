//! A store whose panics are errors: a supervisor that died of one would leave its call unsettled.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;

use crate::guest::discard;
use crate::idempotency::{Claim, ClaimRequest, Fence, IdempotencyKey, IdempotencyStore, Settled, StoreError};

/// A store whose panics are errors.
#[derive(Clone)]
pub(super) struct Guarded(pub(super) Arc<dyn IdempotencyStore>);

impl Guarded {
    pub(super) async fn claim(&self, request: &ClaimRequest<'_>) -> Result<Claim, StoreError> {
        guard(async { self.0.claim(request).await }).await
    }

    pub(super) async fn renew(&self, key: &IdempotencyKey, fence: Fence, lease: Duration) -> Result<(), StoreError> {
        guard(async { self.0.renew(key, fence, lease).await }).await
    }

    pub(super) async fn settle(&self, key: &IdempotencyKey, fence: Fence, settled: &Settled) -> Result<(), StoreError> {
        guard(async { self.0.settle(key, fence, settled).await }).await
    }

    pub(super) async fn release(&self, key: &IdempotencyKey, fence: Fence) -> Result<(), StoreError> {
        guard(async { self.0.release(key, fence).await }).await
    }

    pub(super) async fn mark_unknown(&self, key: &IdempotencyKey, fence: Fence, cause: &str) -> Result<(), StoreError> {
        guard(async { self.0.mark_unknown(key, fence, cause).await }).await
    }
}

async fn guard<T>(asked: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
    // Nothing of ours is shared with the store, so nothing of ours can be left half changed.
    match AssertUnwindSafe(asked).catch_unwind().await {
        Ok(answer) => answer,
        Err(payload) => {
            discard(payload);
            Err(StoreError::failed("it panicked; see its own output"))
        }
    }
}
