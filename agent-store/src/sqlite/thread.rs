//! A connection with a thread of its own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, Sender};

use agent_core::idempotency::{Cause, StoreError};
use rusqlite::Connection;
use tokio::sync::oneshot;

type Job = Box<dyn FnOnce(&mut Connection) + Send>;

/// Runs jobs one after another; ends when it is dropped and has done what it was given.
#[derive(Debug)]
pub(super) struct Thread {
    jobs: Sender<Job>,
}

impl Thread {
    /// Starts a thread with the connection that `open` makes there.
    pub(super) async fn start(
        name: &str,
        open: impl FnOnce() -> Result<Connection, StoreError> + Send + 'static,
    ) -> Result<Self, StoreError> {
        let (jobs, queue) = mpsc::channel::<Job>();
        let (ready, opened) = oneshot::channel();
        let started = std::thread::Builder::new().name(name.to_owned()).spawn(move || {
            let mut connection = match open() {
                Ok(connection) => connection,
                Err(error) => return drop(ready.send(Err(error))),
            };
            if ready.send(Ok(())).is_err() {
                return;
            }
            for job in queue {
                // A job that panics rolls back as its transaction is dropped, so the connection is whole.
                if catch_unwind(AssertUnwindSafe(|| job(&mut connection))).is_err() {
                    tracing::error!("a job of the store panicked");
                }
            }
        });
        if let Err(error) = started {
            return Err(StoreError::Failed(Cause::new("the store's thread cannot start").because(error)));
        }
        opened.await.unwrap_or_else(|_| Err(gone()))?;
        Ok(Self { jobs })
    }

    /// Runs a job there, unless nobody waits for it any more when its turn comes.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (answer, answered) = oneshot::channel();
        let job: Job = Box::new(move |connection| {
            if !answer.is_closed() {
                // Nobody waits: the change is done or not done, as the contract allows.
                let _ = answer.send(job(connection));
            }
        });
        self.jobs.send(job).map_err(|_| gone())?;
        answered.await.unwrap_or_else(|_| Err(gone()))
    }
}

fn gone() -> StoreError {
    StoreError::failed("a job of the store's thread panicked")
}
