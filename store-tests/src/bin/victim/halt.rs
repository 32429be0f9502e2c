//! The points at which the program may be killed.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use agent_core::idempotency::{Claim, ClaimRequest, Fence, IdempotencyKey, IdempotencyStore, Settled, StoreError};
use agent_core::run::{Run, StepRecord};
use agent_core::run_store::{OpenRun, Opened, RunStore, StoredRun};
use async_trait::async_trait;

use super::Wrong;

static POINT: OnceLock<Option<String>> = OnceLock::new();

/// Where to stop, if anywhere.
pub(super) fn at(point: Option<&str>) {
    POINT.get_or_init(|| point.map(str::to_owned));
}

fn is_point(here: &str) -> bool {
    POINT.get().is_some_and(|point| point.as_deref() == Some(here))
}

/// Stops here, if this is the point: the process waits to be killed, or for a line.
pub(super) fn halt(here: &str) {
    static PASSED: AtomicBool = AtomicBool::new(false);
    // Only the first time: who is let go on comes this way again.
    if is_point(here) && !PASSED.swap(true, Ordering::SeqCst) {
        // Without its line the test gives up on this process.
        let _ = say(format_args!("at {here}"));
        // A test that does not kill it lets it go on with a line. In place: the thread that waits may have the timer of the
        // runtime, and leases are renewed meanwhile.
        tokio::task::block_in_place(|| {
            if !matches!(std::io::stdin().read_line(&mut String::new()), Ok(1..)) {
                loop {
                    std::thread::park();
                }
            }
        });
    }
}

#[expect(clippy::print_stdout, reason = "how it speaks to the test")]
pub(super) fn say(what: impl std::fmt::Display) -> Result<(), Wrong> {
    println!("{what}");
    Ok(std::io::stdout().flush()?)
}

/// Long enough for a process that is not given the processor at once, short enough to wait for.
pub(super) const LEASE: Duration = Duration::from_millis(1500);

/// How often a process that waits for another's run asks in the length of a lease.
const ASKS: u32 = 50;

/// A store with points before and after.
pub(super) struct Halting(pub(super) Arc<dyn IdempotencyStore>);

#[async_trait]
impl IdempotencyStore for Halting {
    async fn claim(&self, request: &ClaimRequest<'_>) -> Result<Claim, StoreError> {
        halt("before claim");
        let claim = self.0.claim(request).await;
        halt("after claim");
        claim
    }

    async fn renew(&self, key: &IdempotencyKey, fence: Fence, lease: Duration) -> Result<(), StoreError> {
        self.0.renew(key, fence, lease).await
    }

    async fn settle(&self, key: &IdempotencyKey, fence: Fence, settled: &Settled) -> Result<(), StoreError> {
        halt("before settle");
        let settled = self.0.settle(key, fence, settled).await;
        halt("after settle");
        settled
    }

    async fn release(&self, key: &IdempotencyKey, fence: Fence) -> Result<(), StoreError> {
        halt("before release");
        let released = self.0.release(key, fence).await;
        halt("after release");
        released
    }

    async fn mark_unknown(&self, key: &IdempotencyKey, fence: Fence, cause: &str) -> Result<(), StoreError> {
        halt("before marking");
        let marked = self.0.mark_unknown(key, fence, cause).await;
        halt("after marking");
        marked
    }
}

/// A store of runs with points in the middle of what it keeps.
pub(super) struct HaltingRuns(pub(super) Arc<dyn RunStore>);

#[async_trait]
impl RunStore for HaltingRuns {
    async fn load(&self, tenant: &str, run_id: &str) -> Result<StoredRun, StoreError> {
        self.0.load(tenant, run_id).await
    }

    /// Waits for the lease of a process that was killed. Who has waited for twice its length is at a point.
    async fn open(&self, request: &OpenRun<'_>) -> Result<Opened, StoreError> {
        let mut asked = 0;
        loop {
            match self.0.open(request).await? {
                Opened::Owned => {
                    asked += 1;
                    if asked == 2 * ASKS {
                        halt("owned");
                    }
                    tokio::time::sleep(LEASE / ASKS).await;
                }
                opened => return Ok(opened),
            }
        }
    }

    async fn save(&self, run: &Run, fence: Fence, lease: Duration) -> Result<(), StoreError> {
        let steps = &run.record().steps;
        let here = match steps.iter().any(|step| matches!(step, StepRecord::Tool(_))) {
            true => "while saving",
            false => "saving the reply",
        };
        if is_point(here) && !steps.is_empty() {
            // The save goes on beside the halt: when the process dies, it may have landed or not.
            let (store, run) = (self.0.clone(), run.clone());
            tokio::spawn(async move { store.save(&run, fence, lease).await });
            halt(here);
        }
        self.0.save(run, fence, lease).await
    }

    async fn keep(&self, tenant: &str, run_id: &str, fence: Fence, lease: Duration) -> Result<(), StoreError> {
        self.0.keep(tenant, run_id, fence, lease).await
    }

    async fn finish(&self, run: &Run, fence: Fence) -> Result<(), StoreError> {
        if is_point("while finishing") {
            let (store, run) = (self.0.clone(), run.clone());
            tokio::spawn(async move { store.finish(&run, fence).await });
            halt("while finishing");
        }
        self.0.finish(run, fence).await
    }

    async fn hand_over(&self, tenant: &str, run_id: &str, fence: Fence) -> Result<(), StoreError> {
        self.0.hand_over(tenant, run_id, fence).await
    }

    async fn abandoned_runs(&self, tenant: &str, after: Option<&str>, at_most: u32) -> Result<Vec<String>, StoreError> {
        self.0.abandoned_runs(tenant, after, at_most).await
    }

    async fn forget_runs(&self, tenant: &str, finished_for: Duration) -> Result<u64, StoreError> {
        self.0.forget_runs(tenant, finished_for).await
    }
}
