//! A store that several share, so that an agent has it and the host too.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use super::store::{OpenRun, Opened, RunStore, StoredRun};
use crate::idempotency::{Fence, StoreError};
use crate::run::Run;

#[async_trait]
impl<S: RunStore + ?Sized> RunStore for Arc<S> {
    async fn load(&self, tenant: &str, run_id: &str) -> Result<StoredRun, StoreError> {
        (**self).load(tenant, run_id).await
    }

    async fn open(&self, request: &OpenRun<'_>) -> Result<Opened, StoreError> {
        (**self).open(request).await
    }

    async fn save(&self, run: &Run, fence: Fence, lease: Duration) -> Result<(), StoreError> {
        (**self).save(run, fence, lease).await
    }

    async fn keep(&self, tenant: &str, run_id: &str, fence: Fence, lease: Duration) -> Result<(), StoreError> {
        (**self).keep(tenant, run_id, fence, lease).await
    }

    async fn finish(&self, run: &Run, fence: Fence) -> Result<(), StoreError> {
        (**self).finish(run, fence).await
    }

    async fn hand_over(&self, tenant: &str, run_id: &str, fence: Fence) -> Result<(), StoreError> {
        (**self).hand_over(tenant, run_id, fence).await
    }

    async fn abandoned_runs(&self, tenant: &str, after: Option<&str>, at_most: u32) -> Result<Vec<String>, StoreError> {
        (**self).abandoned_runs(tenant, after, at_most).await
    }

    async fn forget_runs(&self, tenant: &str, finished_for: Duration) -> Result<u64, StoreError> {
        (**self).forget_runs(tenant, finished_for).await
    }
}
