//! Keeps a run in its store, step by step.

use std::pin::pin;
use std::time::Duration;

use futures_util::stream::StreamExt;
use tokio::time::{Instant, timeout_at};

use super::tools::{Beside, Done};
use super::{Clock, Driver, Waited};
use crate::agent::keeper::Keeper;
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
            let saving = persistent(clock.deadline, || keeper.save(run));
            let mut saving = pin!(self.wait(clock.deadline, saving));
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
                run.apply(self.plan, Input::NotSaved(error.to_string()), &mut &self.listeners);
            }
            Waited::Late | Waited::Cancelled => {
                tracing::error!(run = run.id(), "a run ended before its store had saved it");
                return false;
            }
        }
        true
    }

    /// What a store says to the end of a run, within the time that there is to record one.
    pub(in crate::agent) async fn within_grace<F: Future<Output = Result<(), StoreError>>>(
        &self,
        record: impl Fn() -> F,
    ) -> Result<(), StoreError> {
        let grace = self.plan.limits.grace;
        let until = after(Instant::now(), grace);
        let late = || StoreError::failed(format!("no answer within {grace:?}; `Limits::grace` allows more"));
        timeout_at(until, persistent(until, record)).await.unwrap_or_else(|_| Err(late()))
    }

    /// Saves the run for whoever takes it up next.
    pub(super) async fn hand_over(&self, keeper: &Keeper, run: &Run) -> Result<(), StoreError> {
        // Each tried by itself: after a run was handed over it is saved no more.
        self.within_grace(|| keeper.save(run)).await?;
        self.within_grace(|| keeper.leave()).await
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
        let finished = tokio::select! {
            biased;
            finished = self.within_grace(|| keeper.finish(run)) => finished,
            never = keeper.keep() => match never {},
        };
        if let Err(error) = finished {
            tracing::error!(run = run.id(), %error, "the end of a run could not be saved; it is taken up from its last step");
        }
    }
}

/// What a store answers, asked again while it is busy or away and there is time.
async fn persistent<F: Future<Output = Result<(), StoreError>>>(
    until: Instant,
    ask: impl Fn() -> F,
) -> Result<(), StoreError> {
    let mut wait = Duration::from_millis(50);
    loop {
        match ask().await {
            Err(error) if error.is_transient() && Instant::now() + wait < until => {
                tracing::warn!(%error, "a store of runs is busy or away; asking again");
                tokio::time::sleep(wait).await;
                wait = (wait * 2).min(Duration::from_secs(2));
            }
            answer => return answer,
        }
    }
}
