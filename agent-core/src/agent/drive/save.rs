//! Keeps a run in its store, step by step.

use std::pin::pin;

use futures_util::stream::StreamExt;
use tokio::time::{Instant, timeout_at};

use super::tools::{Beside, Done};
use super::{Clock, Driver, Waited};
use crate::dispatch::after;
use crate::idempotency::StoreError;
use crate::run::{Input, Run, RunErrorKind};

impl<S: Send + Sync + 'static> Driver<'_, S> {
    /// Saves the run as it is, where there is a store; a run that cannot be saved begins nothing more.
    ///
    /// False where the run's time was over, or the host ended it, before it was saved: nothing may begin then either.
    pub(super) async fn save(
        &self,
        run: &mut Run,
        clock: Clock,
        beside: &mut Beside<impl Future<Output = Done>>,
    ) -> bool {
        let Some(keeper) = &self.keeper else { return true };
        // A run that is left open is taken up from before what ends it, without that end.
        if run.outcome().is_some() || run.is_left_open() {
            return true;
        }
        let saved = {
            let mut saving = pin!(self.wait(clock.deadline, keeper.save(run)));
            loop {
                tokio::select! {
                    biased;
                    saved = &mut saving => break saved,
                    Some(done) = beside.running.next() => beside.done.push_back(done),
                }
            }
        };
        match saved {
            Waited::Done(Ok(())) => {}
            Waited::Done(Err(error)) => {
                tracing::error!(run = run.id(), %error, "a run could not be saved");
                run.apply(self.plan, Input::NotSaved(error.to_string()), &mut self.listeners.clone());
            }
            Waited::Late | Waited::Cancelled => {
                tracing::error!(run = run.id(), "a run ended before its store had saved it");
                return false;
            }
        }
        true
    }

    /// What a store says to the end of a run, within the time that there is to record one.
    pub(in crate::agent) async fn within_grace<T>(
        &self,
        recording: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let grace = self.plan.limits.grace;
        let late = || StoreError::failed(format!("no answer within {grace:?}; `Limits::grace` allows more"));
        timeout_at(after(Instant::now(), grace), recording).await.unwrap_or_else(|_| Err(late()))
    }

    /// Saves the end of the run, unless that leaves it open: then it is left as it was last saved, to be taken up from there.
    pub(super) async fn finish(&self, run: &Run) {
        let Some(keeper) = &self.keeper else { return };
        if matches!(run.outcome(), Some(Err(RunErrorKind::NotSaved { .. }))) {
            // Its store does not answer, or has given the run to somebody else.
            return;
        }
        if run.is_left_open() {
            return self.leave(keeper).await;
        }
        if let Err(error) = self.within_grace(keeper.finish(run)).await {
            tracing::error!(run = run.id(), %error, "the end of a run could not be saved; it is taken up from its last step");
        }
    }
}
