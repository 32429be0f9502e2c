//! A store that several share, so that an agent has it and its operators too.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use super::admin::{Audit, ClaimAdmin, Operator, Resolution, UnknownClaim};
use super::error::StoreError;
use super::key::IdempotencyKey;
use super::store::{Claim, ClaimHandle, ClaimRequest, Fence, IdempotencyStore, Settled};

#[async_trait]
impl<S: IdempotencyStore + ?Sized> IdempotencyStore for Arc<S> {
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

#[async_trait]
impl<S: ClaimAdmin + ?Sized> ClaimAdmin for Arc<S> {
    async fn unknown_claims(
        &self,
        tenant: &str,
        after: Option<&IdempotencyKey>,
        at_most: u32,
    ) -> Result<Vec<UnknownClaim>, StoreError> {
        (**self).unknown_claims(tenant, after, at_most).await
    }

    async fn resolve(&self, claim: &ClaimHandle, how: &Resolution, by: &Operator) -> Result<Audit, StoreError> {
        (**self).resolve(claim, how, by).await
    }

    async fn audits(&self, tenant: &str, at_most: u32) -> Result<Vec<Audit>, StoreError> {
        (**self).audits(tenant, at_most).await
    }

    async fn forget_claims(&self, tenant: &str, settled_for: Duration) -> Result<u64, StoreError> {
        (**self).forget_claims(tenant, settled_for).await
    }
}
