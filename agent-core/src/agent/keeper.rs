//! Keeps a run in a store while it is driven.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::RunError;
use crate::idempotency::{Fence, StoreError};
use crate::run::{Run, RunErrorKind};
use crate::run_store::{Mismatch, OpenRun, Opened, RunStore, prompt_digest};

/// How long a run is owned without being saved or kept: long enough for two renewals to fail.
const LEASE: Duration = Duration::from_secs(30);

/// The ownership of a stored run.
pub(super) struct Keeper {
    store: Arc<dyn RunStore>,
    tenant: String,
    run_id: String,
    fence: Fence,
}

/// A run that may be driven, or one that has ended before.
pub(super) enum Stored {
    Ours(Box<Run>, Keeper),
    Ended(Box<Run>),
}

impl Keeper {
    /// Begins a run in the store, takes it up where it was cut off, or finds its end.
    pub(super) async fn open(store: &Arc<dyn RunStore>, mut run: Run, given: bool) -> Result<Stored, RunError> {
        let digest = match run.prompt_digest() {
            Some(digest) => digest,
            None => match prompt_digest(&run) {
                Ok(digest) => digest,
                Err(error) => return Err(not_opened(&run, format!("its prompt cannot be written: {error}"))),
            },
        };
        run.set_prompt_digest(digest);
        let opened = match store.open(&OpenRun::new(&run, &digest).lease(LEASE)).await {
            Ok(opened) => opened,
            Err(error) => return Err(not_opened(&run, error.to_string())),
        };
        let keeper =
            |fence| Self { store: store.clone(), tenant: run.tenant().to_owned(), run_id: run.id().to_owned(), fence };
        match opened {
            Opened::New(fence) => {
                let keeper = keeper(fence);
                Ok(Stored::Ours(Box::new(run), keeper))
            }
            // What the host hands in is what people have decided on; both are the same run at the same step.
            Opened::TakenUp { run: stored, fence } => {
                let keeper = keeper(fence);
                Ok(Stored::Ours(if given { Box::new(run) } else { stored }, keeper))
            }
            Opened::Finished(run) => Ok(Stored::Ended(run)),
            Opened::Owned => Err(not_opened(&run, "it is being driven elsewhere; wait for that to end".to_owned())),
            Opened::Mismatch(mismatch) => {
                let what = match mismatch {
                    Mismatch::Caller => "its id belongs to a run of another user; give this one an id of its own",
                    Mismatch::Prompt => "its id belongs to a run with another prompt; give this one an id of its own",
                };
                Err(not_opened(&run, what.to_owned()))
            }
        }
    }

    /// Saves the run as it is now.
    pub(super) async fn save(&self, run: &Run) -> Result<(), StoreError> {
        self.store.save(run, self.fence, LEASE).await
    }

    /// Saves the run for good.
    pub(super) async fn finish(&self, run: &Run) -> Result<(), StoreError> {
        self.store.finish(run, self.fence).await
    }

    /// Saves the run for whoever takes it up next.
    pub(super) async fn hand_over(&self, run: &Run) -> Result<(), StoreError> {
        self.store.save(run, self.fence, LEASE).await?;
        self.store.hand_over(&self.tenant, &self.run_id, self.fence).await
    }

    /// Keeps the ownership for as long as it is polled; never ends.
    pub(super) async fn keep(&self) {
        loop {
            sleep_until(Instant::now() + LEASE / 3).await;
            if let Err(error) = self.store.keep(&self.tenant, &self.run_id, self.fence, LEASE).await {
                tracing::warn!(run = self.run_id, %error, "the ownership of a run could not be renewed");
            }
        }
    }
}

fn not_opened(run: &Run, what: String) -> RunError {
    RunError::new(RunErrorKind::Invalid { what }, run.record().clone(), None, None)
}
