//! A connection with a thread of its own.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};

use agent_core::idempotency::{Cause, StoreError};
use rusqlite::Connection;
use tokio::sync::oneshot;

use super::fences::Fences;
use super::together::{Change, Joined, together};

/// What shares one commit at most, so that the first of them need not wait long for the last.
const MOST: usize = 64;

enum Job {
    Alone(Box<dyn FnOnce(&mut Connection) + Send>),
    Joined(Box<dyn Joined>),
}

/// Runs jobs in their order, changes that wait side by side in one transaction; ends when it is dropped and has done what
/// it was given.
#[derive(Debug)]
pub(super) struct Thread {
    jobs: Sender<Job>,
}

impl Thread {
    /// Starts a thread with the connection that `open` makes there.
    pub(super) async fn start(
        name: &str,
        fences: Arc<Fences>,
        open: impl FnOnce() -> Result<Connection, StoreError> + Send + 'static,
    ) -> Result<Self, StoreError> {
        let (jobs, queue) = mpsc::channel::<Job>();
        let (ready, opened) = oneshot::channel();
        let started = std::thread::Builder::new().name(name.to_owned()).spawn(move || {
            let connection = match open() {
                Ok(connection) => connection,
                Err(error) => return drop(ready.send(Err(error))),
            };
            if ready.send(Ok(())).is_ok() {
                work(connection, &queue, &fences);
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
        let job = Job::Alone(Box::new(move |connection| {
            if !answer.is_closed() {
                // Nobody waits: the change is done or not done, as the contract allows.
                let _ = answer.send(job(connection));
            }
        }));
        self.jobs.send(job).map_err(|_| gone())?;
        answered.await.unwrap_or_else(|_| Err(gone()))
    }

    /// Looks, and where that gives no answer, changes something in a transaction, which others that wait may share. The
    /// answer is given when all of it is committed. Either may be asked again, where the whole transaction failed.
    pub(super) async fn join<T: Send + 'static>(
        &self,
        look: impl FnMut(&Connection) -> Result<Option<T>, StoreError> + Send + 'static,
        change: impl FnMut(&Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let (answer, answered) = oneshot::channel();
        let job = Job::Joined(Box::new(Change::new(look, change, answer)));
        self.jobs.send(job).map_err(|_| gone())?;
        answered.await.unwrap_or_else(|_| Err(gone()))
    }
}

fn work(mut connection: Connection, queue: &Receiver<Job>, fences: &Fences) {
    let mut next = queue.recv().ok();
    while let Some(job) = next {
        next = None;
        match job {
            Job::Alone(job) => {
                // A job that panics rolls back as its transaction is dropped, so the connection is whole.
                if catch_unwind(AssertUnwindSafe(|| job(&mut connection))).is_err() {
                    tracing::error!("a job of the store panicked");
                }
            }
            Job::Joined(first) => {
                let mut group = vec![first];
                while group.len() < MOST {
                    match queue.try_recv() {
                        Ok(Job::Joined(change)) => group.push(change),
                        Ok(alone) => {
                            next = Some(alone);
                            break;
                        }
                        Err(_) => break,
                    }
                }
                together(&connection, group, fences);
            }
        }
        next = next.or_else(|| queue.recv().ok());
    }
}

fn gone() -> StoreError {
    StoreError::failed("a job of the store's thread panicked")
}
