//! What a store of runs does.

use std::time::Duration;

use async_trait::async_trait;

use crate::arguments::Digest;
use crate::idempotency::{Fence, StoreError};
use crate::run::Run;

/// Keeps runs, so that one that was cut off is taken up where it was, and one that has ended answers again.
///
/// A run is known by its tenant and its id. It belongs to one owner at a time, who has a fence and a lease; an owner that
/// dies loses it when the lease is over, and the next one gets a new fence.
///
/// The order of calls for one run: [`open`](Self::open); then [`save`](Self::save) after each step, and before the first
/// claim of a turn; [`keep`](Self::keep) while a step takes long; at its end [`finish`](Self::finish), or
/// [`hand_over`](Self::hand_over) when the owner stops before the run's end: where people must decide, the model failed, the
/// time was over, the host cancelled, or nobody knows whether a call took effect.
///
/// **Before a call**: `save`, `keep`, `finish` and `hand_over` only with a fence that `open` gave for this run.
///
/// **Atomicity**: of any number of calls of `open` for one run at once, at most one gets a fence. A fence that is no
/// longer the run's is refused with [`StoreError::LostFence`] and changes nothing; its owner stops. A finished run never
/// changes again.
///
/// **Leases** are measured as those of claims: by one clock for all users, never by theirs. An owner whose lease is over
/// keeps the run until somebody else opens it, or it has handed it over.
///
/// **Cancellation**: a dropped future may leave its change done or not done, never half done.
///
/// **Tenants**: no call sees or changes a run of another tenant.
///
/// **Panics**: none. A call that panics counts as one that failed.
///
/// `agent_core::testing::runs` (feature `test-util`) holds a store against all of this.
#[async_trait]
pub trait RunStore: Send + Sync {
    /// Looks at a run without owning it.
    ///
    /// # Errors
    ///
    /// The store fails, or what it keeps cannot be read by this build ([`StoreError::Version`]).
    async fn load(&self, tenant: &str, run_id: &str) -> Result<StoredRun, StoreError>;

    /// Begins a run, takes it up, or says why not.
    ///
    /// # Errors
    ///
    /// The store fails, or what it keeps cannot be read by this build. The run is then not begun. Where only the answer was
    /// lost, it is there, and owned by nobody who knows of it until the lease is over.
    async fn open(&self, request: &OpenRun<'_>) -> Result<Opened, StoreError>;

    /// Keeps the run as it is now, for `lease` from now.
    ///
    /// # Errors
    ///
    /// [`StoreError::LostFence`], or the store fails. The run must not go on to a claim that is not saved.
    async fn save(&self, run: &Run, fence: Fence, lease: Duration) -> Result<(), StoreError>;

    /// Keeps the ownership for `lease` from now, and the run as it is stored.
    ///
    /// # Errors
    ///
    /// [`StoreError::LostFence`], or the store fails.
    async fn keep(&self, tenant: &str, run_id: &str, fence: Fence, lease: Duration) -> Result<(), StoreError>;

    /// Keeps the run as it is now, for good. Saying the same again with the same fence succeeds.
    ///
    /// # Errors
    ///
    /// [`StoreError::LostFence`], or the store fails.
    async fn finish(&self, run: &Run, fence: Fence) -> Result<(), StoreError>;

    /// Gives an unfinished run up, so that anyone may take it up at once. The run stays as it was last saved.
    ///
    /// From then on the fence is lost, but to say the same again: a [`keep`](Self::keep) or a [`save`](Self::save) that
    /// was dropped, and reaches the store late, does not own the run once more.
    ///
    /// # Errors
    ///
    /// [`StoreError::LostFence`], or the store fails; the run may then be taken up when the lease is over.
    async fn hand_over(&self, tenant: &str, run_id: &str, fence: Fence) -> Result<(), StoreError>;

    /// The ids of a tenant's unfinished runs that nobody owns, in their order, beginning after `after`. Runs that were
    /// handed over are among them, and may end at once as they did before.
    ///
    /// # Errors
    ///
    /// The store fails.
    async fn abandoned_runs(&self, tenant: &str, after: Option<&str>, at_most: u32) -> Result<Vec<String>, StoreError>;

    /// Forgets a tenant's runs that finished at least this long ago, and says how many they were. A forgotten id that
    /// comes again begins a new run. Unfinished runs are never forgotten.
    ///
    /// # Errors
    ///
    /// The store fails.
    async fn forget_runs(&self, tenant: &str, finished_for: Duration) -> Result<u64, StoreError>;
}

/// A run that is to be begun or taken up.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct OpenRun<'a> {
    /// The run as it begins; its id, user and tenant are the ones that count.
    pub run: &'a Run,
    /// What it is asked: see [`prompt_digest`](super::prompt_digest).
    pub prompt: &'a Digest,
    /// How long it is owned without being saved or kept.
    pub lease: Duration,
}

impl<'a> OpenRun<'a> {
    /// This run, owned for half a minute.
    pub fn new(run: &'a Run, prompt: &'a Digest) -> Self {
        Self { run, prompt, lease: Duration::from_secs(30) }
    }

    /// With this lease.
    #[must_use]
    pub fn lease(mut self, lease: Duration) -> Self {
        self.lease = lease;
        self
    }
}

/// What a store answers to [`RunStore::open`].
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Opened {
    /// It is new, stored as it begins, and the caller's.
    New(Fence),
    /// It was cut off, stands here now, and is the caller's.
    TakenUp {
        /// Where it was last saved.
        run: Box<Run>,
        /// The new owner's fence.
        fence: Fence,
    },
    /// It has ended like this.
    Finished(Box<Run>),
    /// Somebody else owns it and is at work.
    Owned,
    /// The id is another request's.
    Mismatch(Mismatch),
}

/// What another request under the same run id has otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mismatch {
    /// It was made for another user.
    Caller,
    /// It has another prompt or another history.
    Prompt,
}

/// What a store keeps of a run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum StoredRun {
    /// Nothing.
    None,
    /// It has not ended, and was last saved like this.
    Unfinished(Box<Run>),
    /// It has ended like this.
    Finished(Box<Run>),
}
