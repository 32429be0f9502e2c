//! Keeps a run in a store while it is driven.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use crate::guest::answered;
use crate::idempotency::{Fence, StoreError};
use crate::lease::Lease;
use crate::run::{Run, RunErrorKind};
use crate::run_store::{Mismatch, OpenRun, Opened, RunStore, prompt_digest};

/// The cause of a refusal, for the audit: the run is another user's or tenant's.
pub(super) const ANOTHER_USER: &str = "another_user";

/// The ownership of a stored run.
pub(super) struct Keeper {
    store: Arc<dyn RunStore>,
    tenant: String,
    run_id: String,
    fence: Fence,
    lease: Lease,
}

/// What a store makes of a run that is to begin or to be taken up.
pub(super) enum Stored {
    /// It begins as it is.
    New(Keeper),
    /// It was cut off, and stands like this in the store.
    TakenUp(Box<Run>, Keeper),
    /// It has ended before.
    Ended(Box<Run>),
}

/// Why a run does not begin in its store.
pub(super) enum Refusal {
    /// Another process has it.
    Owned,
    /// The store cannot tell.
    Store(StoreError),
    /// It cannot be written.
    Unfit(String),
    /// It is another request's.
    Mismatch(Mismatch),
}

impl Refusal {
    /// Why, in words.
    pub(super) fn what(&self) -> String {
        match self {
            Self::Owned => "it is being driven elsewhere; wait for that to end".to_owned(),
            Self::Store(error) => error.to_string(),
            Self::Unfit(what) => what.clone(),
            Self::Mismatch(Mismatch::Caller) => {
                "its id belongs to a run of another user; give this one an id of its own".to_owned()
            }
            Self::Mismatch(Mismatch::Prompt) => {
                "its id belongs to a run with another prompt; give this one an id of its own".to_owned()
            }
        }
    }

    /// Why, in a word, for the audit.
    pub(super) fn cause(&self, run: &Run) -> &'static str {
        match self {
            Self::Mismatch(Mismatch::Caller) => ANOTHER_USER,
            Self::Mismatch(Mismatch::Prompt) => "another_prompt",
            other => other.kind(run).as_str(),
        }
    }

    /// Why, for the host of a run that is begun by its id.
    pub(super) fn kind(&self, run: &Run) -> RunErrorKind {
        match self {
            Self::Owned => RunErrorKind::Owned { run_id: run.id().to_owned() },
            Self::Store(_) => RunErrorKind::NotSaved { what: self.what() },
            Self::Unfit(_) | Self::Mismatch(_) => RunErrorKind::Invalid { what: self.what() },
        }
    }
}

impl Keeper {
    /// Begins a run in the store, takes it up where it was cut off, or finds its end; else says why not.
    pub(super) async fn open(store: &Arc<dyn RunStore>, run: &mut Run, lease: Duration) -> Result<Stored, Refusal> {
        let lease = Lease::new(lease);
        let digest = match run.prompt_digest() {
            Some(digest) => digest,
            None => {
                prompt_digest(run).map_err(|error| Refusal::Unfit(format!("its prompt cannot be written: {error}")))?
            }
        };
        run.set_prompt_digest(digest);
        let request = OpenRun::new(run, &digest).lease(lease.length());
        let opened = answered(|| store.open(&request)).await;
        let (tenant, run_id) = (run.tenant().to_owned(), run.id().to_owned());
        let keeper = |fence| Self { store: store.clone(), tenant, run_id, fence, lease };
        match opened.map_err(Refusal::Store)? {
            Opened::New(fence) => Ok(Stored::New(keeper(fence))),
            Opened::TakenUp { run: stored, fence } => Ok(Stored::TakenUp(stored, keeper(fence))),
            Opened::Finished(run) => Ok(Stored::Ended(run)),
            Opened::Owned => Err(Refusal::Owned),
            Opened::Mismatch(mismatch) => Err(Refusal::Mismatch(mismatch)),
        }
    }

    /// Saves the run as it is now.
    pub(super) async fn save(&self, run: &Run) -> Result<(), StoreError> {
        self.lease.renew(answered(|| self.store.save(run, self.fence, self.lease.length()))).await
    }

    /// Saves the run for good.
    pub(super) async fn finish(&self, run: &Run) -> Result<(), StoreError> {
        answered(|| self.store.finish(run, self.fence)).await
    }

    /// Gives the run up as it is stored, for whoever takes it up next.
    pub(super) async fn leave(&self) -> Result<(), StoreError> {
        answered(|| self.store.hand_over(&self.tenant, &self.run_id, self.fence)).await
    }

    /// Keeps the ownership for as long as it is polled; never ends.
    pub(super) async fn keep(&self) -> Infallible {
        let keep = || answered(|| self.store.keep(&self.tenant, &self.run_id, self.fence, self.lease.length()));
        self.lease.keep("the ownership of a run", keep).await
    }
}
