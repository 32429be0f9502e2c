//! A store that several agents share.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use super::StoreError;
use super::key::IdempotencyKey;
use super::store::{Claim, ClaimRequest, Fence, IdempotencyStore, Settled};

#[async_trait]
impl<T: IdempotencyStore + ?Sized> IdempotencyStore for Arc<T> {
    async fn claim(&self, request: &ClaimRequest<'_>) -> Result<Claim, StoreError> {
        (**self).claim(request).await
    }

    async fn renew(&self, key: &IdempotencyKey, fence: Fence, lease: Duration) -> Result<(), StoreError> {
        (**self).renew(key, fence, lease).await
    }

    async fn settle(&self, key: &IdempotencyKey, fence: Fence, settled: &Settled) -> Result<(), StoreError> {
        (**self).settle(key, fence, settled).await
    }

    async fn release(&self, key: &IdempotencyKey, fence: Fence) -> Result<(), StoreError> {
        (**self).release(key, fence).await
    }

    async fn mark_unknown(&self, key: &IdempotencyKey, fence: Fence, cause: &str) -> Result<(), StoreError> {
        (**self).mark_unknown(key, fence, cause).await
    }
}
