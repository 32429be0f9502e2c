//! A store of runs that forgets when its process ends.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use tokio::time::Instant;

use super::store::{Mismatch, OpenRun, Opened, RunStore, StoredRun};
use crate::arguments::Digest;
use crate::dispatch::after;
use crate::idempotency::{Fence, StoreError};
use crate::run::Run;

/// Keeps runs in memory, without a bound of its own: the host forgets finished ones with
/// [`forget_runs`](RunStore::forget_runs).
#[derive(Debug, Default)]
pub struct MemoryRunStore {
    runs: Mutex<Runs>,
}

#[derive(Debug, Default)]
struct Runs {
    by_id: BTreeMap<(String, String), Entry>,
    last_fence: u64,
}

#[derive(Debug)]
struct Entry {
    run: Run,
    prompt: Digest,
    fence: Fence,
    state: State,
}

#[derive(Debug, Clone, Copy)]
enum State {
    Owned { until: Instant },
    HandedOver,
    Finished { at: Instant },
}

impl MemoryRunStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    fn lock(&self) -> MutexGuard<'_, Runs> {
        // No code that can panic runs under the lock, so a poisoned one is whole.
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Runs {
    /// The unfinished run that the fence holds.
    fn held(&mut self, tenant: &str, run_id: &str, fence: Fence) -> Result<&mut Entry, StoreError> {
        let entry = self.by_id.get_mut(&(tenant.to_owned(), run_id.to_owned()));
        let held = entry.filter(|entry| entry.fence == fence && matches!(entry.state, State::Owned { .. }));
        held.ok_or(StoreError::LostFence)
    }
}

#[async_trait]
impl RunStore for MemoryRunStore {
    async fn load(&self, tenant: &str, run_id: &str) -> Result<StoredRun, StoreError> {
        let runs = self.lock();
        Ok(match runs.by_id.get(&(tenant.to_owned(), run_id.to_owned())) {
            None => StoredRun::None,
            Some(Entry { run, state: State::Finished { .. }, .. }) => StoredRun::Finished(Box::new(run.clone())),
            Some(Entry { run, .. }) => StoredRun::Unfinished(Box::new(run.clone())),
        })
    }

    async fn open(&self, request: &OpenRun<'_>) -> Result<Opened, StoreError> {
        let now = Instant::now();
        let mut runs = self.lock();
        let fence = Fence(runs.last_fence + 1);
        let state = State::Owned { until: after(now, request.lease) };
        let id = (request.run.tenant().to_owned(), request.run.id().to_owned());
        let opened = match runs.by_id.get_mut(&id) {
            None => {
                let entry = Entry { run: request.run.clone(), prompt: *request.prompt, fence, state };
                runs.by_id.insert(id, entry);
                Opened::New(fence)
            }
            Some(entry) if entry.run.user() != request.run.user() => return Ok(Opened::Mismatch(Mismatch::Caller)),
            Some(entry) if entry.prompt != *request.prompt => return Ok(Opened::Mismatch(Mismatch::Prompt)),
            Some(entry) => match entry.state {
                State::Finished { .. } => return Ok(Opened::Finished(Box::new(entry.run.clone()))),
                State::Owned { until } if until > now => return Ok(Opened::Owned),
                State::Owned { .. } | State::HandedOver => {
                    entry.fence = fence;
                    entry.state = state;
                    Opened::TakenUp { run: Box::new(entry.run.clone()), fence }
                }
            },
        };
        runs.last_fence = fence.0;
        Ok(opened)
    }

    async fn save(&self, run: &Run, fence: Fence, lease: Duration) -> Result<(), StoreError> {
        let until = after(Instant::now(), lease);
        let mut runs = self.lock();
        let entry = runs.held(run.tenant(), run.id(), fence)?;
        entry.run = run.clone();
        entry.state = State::Owned { until };
        Ok(())
    }

    async fn keep(&self, tenant: &str, run_id: &str, fence: Fence, lease: Duration) -> Result<(), StoreError> {
        let until = after(Instant::now(), lease);
        self.lock().held(tenant, run_id, fence)?.state = State::Owned { until };
        Ok(())
    }

    async fn finish(&self, run: &Run, fence: Fence) -> Result<(), StoreError> {
        let mut runs = self.lock();
        let id = (run.tenant().to_owned(), run.id().to_owned());
        let entry = runs.by_id.get_mut(&id).filter(|entry| entry.fence == fence).ok_or(StoreError::LostFence)?;
        match entry.state {
            State::Finished { .. } if entry.run == *run => Ok(()),
            State::Finished { .. } | State::HandedOver => Err(StoreError::LostFence),
            State::Owned { .. } => {
                entry.run = run.clone();
                entry.state = State::Finished { at: Instant::now() };
                Ok(())
            }
        }
    }

    async fn hand_over(&self, tenant: &str, run_id: &str, fence: Fence) -> Result<(), StoreError> {
        let mut runs = self.lock();
        let entry = runs.by_id.get_mut(&(tenant.to_owned(), run_id.to_owned()));
        match entry.filter(|entry| entry.fence == fence) {
            Some(entry) if !matches!(entry.state, State::Finished { .. }) => {
                entry.state = State::HandedOver;
                Ok(())
            }
            _ => Err(StoreError::LostFence),
        }
    }

    async fn abandoned_runs(&self, tenant: &str, after: Option<&str>, at_most: u32) -> Result<Vec<String>, StoreError> {
        let now = Instant::now();
        let runs = self.lock();
        let of_tenant =
            runs.by_id.iter().filter(|((of, id), _)| of == tenant && after.is_none_or(|after| &**id > after));
        let abandoned = of_tenant.filter(|(_, entry)| match entry.state {
            State::Owned { until } => until <= now,
            State::HandedOver => true,
            State::Finished { .. } => false,
        });
        let at_most = usize::try_from(at_most).unwrap_or(usize::MAX);
        Ok(abandoned.map(|((_, id), _)| id.clone()).take(at_most).collect())
    }

    async fn forget_runs(&self, tenant: &str, finished_for: Duration) -> Result<u64, StoreError> {
        let now = Instant::now();
        let mut runs = self.lock();
        let before = runs.by_id.len();
        runs.by_id.retain(|(of, _), entry| match entry.state {
            State::Finished { at } => of != tenant || now.saturating_duration_since(at) < finished_for,
            State::Owned { .. } | State::HandedOver => true,
        });
        Ok((before - runs.by_id.len()) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn it_keeps_the_contract_of_a_store_of_runs() {
        let shared = async || std::sync::Arc::new(MemoryRunStore::new());
        crate::testing::runs(shared, async |_, time| tokio::time::advance(time).await).await;
        crate::testing::runs(async || MemoryRunStore::new(), async |_, time| tokio::time::advance(time).await).await;
    }
}
