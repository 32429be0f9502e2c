//! A store whose panics are errors: a supervisor that died of one would leave its call unsettled.

use std::sync::Arc;
use std::time::Duration;

use crate::guest::answered;
use crate::idempotency::{Claim, ClaimRequest, Fence, IdempotencyKey, IdempotencyStore, Settled, StoreError};

/// A store whose panics are errors.
#[derive(Clone)]
pub(super) struct Guarded(pub(super) Arc<dyn IdempotencyStore>);

impl Guarded {
    pub(super) async fn claim(&self, request: &ClaimRequest<'_>) -> Result<Claim, StoreError> {
        answered(|| self.0.claim(request)).await
    }

    pub(super) async fn renew(&self, key: &IdempotencyKey, fence: Fence, lease: Duration) -> Result<(), StoreError> {
        answered(|| self.0.renew(key, fence, lease)).await
    }

    pub(super) async fn settle(&self, key: &IdempotencyKey, fence: Fence, settled: &Settled) -> Result<(), StoreError> {
        answered(|| self.0.settle(key, fence, settled)).await
    }

    pub(super) async fn release(&self, key: &IdempotencyKey, fence: Fence) -> Result<(), StoreError> {
        answered(|| self.0.release(key, fence)).await
    }

    pub(super) async fn mark_unknown(&self, key: &IdempotencyKey, fence: Fence, cause: &str) -> Result<(), StoreError> {
        answered(|| self.0.mark_unknown(key, fence, cause)).await
    }
}
