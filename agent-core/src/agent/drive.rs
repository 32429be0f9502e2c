//! Does what a run asks for: the loop, and the one place of it that awaits.

mod ask;
mod audit;
mod gates;
mod save;
mod tools;

use std::convert::Infallible;
use std::future::Ready;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use self::gates::Gate;
use self::tools::{Beside, Done};
use super::finish::FinishTool;
use super::keeper::Keeper;
use super::listeners::Listeners;
use super::start::Check;
use super::{Cancellation, Inner, RunError};
use crate::audit::{AuditEvent, Bound, RunAudit};
use crate::dispatch::after;
use crate::model::{ModelError, Session};
use crate::run::{Input, Plan, Record, Run, RunErrorKind, Step};
use crate::security::SecurityContext;
use crate::waits::{Stop, stop, unless};

/// What does not change while a run is driven.
pub(super) struct Driver<'a, S> {
    pub(super) agent: &'a Inner<S>,
    pub(super) plan: &'a Plan,
    pub(super) run_id: Arc<str>,
    pub(super) caller: Arc<SecurityContext>,
    pub(super) cancel: Cancellation,
    pub(super) finish: Option<Arc<FinishTool>>,
    pub(super) check: Option<Check>,
    pub(super) listeners: Listeners,
    pub(super) keeper: Option<Keeper>,
    /// When the run began, or was taken up.
    pub(super) begun: Instant,
    pub(super) audit: Option<Arc<RunAudit>>,
    /// What the adapter keeps between the requests of this run.
    pub(super) session: Session,
}

/// How a run ended well.
pub(super) struct Ended {
    pub(super) text: String,
    pub(super) value: Option<String>,
    pub(super) record: Record,
}

/// What came of a wait that the deadline or the host may cut short.
pub(super) enum Waited<T> {
    Done(T),
    Late,
    Cancelled,
}

impl<T> From<Result<T, Stop>> for Waited<T> {
    fn from(waited: Result<T, Stop>) -> Self {
        match waited {
            Ok(done) => Self::Done(done),
            Err(Stop::Late) => Self::Late,
            Err(Stop::Cancelled) => Self::Cancelled,
        }
    }
}

/// The clock of a run: a run that is taken up goes on where it stopped.
#[derive(Clone, Copy)]
struct Clock {
    begun: Instant,
    before: Duration,
    deadline: Instant,
}

impl Clock {
    fn elapsed_at(self, now: Instant) -> Duration {
        self.before.saturating_add(now.saturating_duration_since(self.begun))
    }
}

impl<S: Send + Sync + 'static> Driver<'_, S> {
    /// Drives a run to its end.
    ///
    /// Dropping the future ends the run where it is: reads are ended, a mutating call that has started goes on and settles.
    pub(super) async fn drive(&self, mut run: Run) -> Result<Ended, RunError> {
        run.taken_up();
        let _driven = self.listeners.driven();
        let before = run.record().elapsed;
        let clock = Clock { begun: self.begun, before, deadline: self.deadline(&run) };
        let mut failure = None;
        let mut turn = None;
        loop {
            self.look_up(&mut run, clock).await;
            // Saved before the step that follows: a reply before the first claim of its turn.
            if !self.save(&mut run, clock, &mut Beside::<Ready<Done>>::default()).await {
                continue;
            }
            match run.next(self.plan) {
                Step::CallModel { purpose } => {
                    turn = None;
                    let asked = Instant::now();
                    let next = self.next_turn(&run, purpose);
                    // Pinned here: each function that it is handed to by value would have room for it.
                    let waited = {
                        let asking = pin!(self.ask_guarded(&run, purpose, &next, clock.deadline));
                        self.wait(clock.deadline, asking).await
                    };
                    let input = match waited {
                        Waited::Done(Ok(reply)) => Input::Reply(Box::new(reply), asked.elapsed()),
                        // An adapter that keeps to the deadline fails at it; the run has a name of its own for that.
                        Waited::Done(Err(_)) if Instant::now() >= clock.deadline => continue,
                        Waited::Done(Err(_)) if self.cancel.token().is_cancelled() => continue,
                        Waited::Done(Err(error)) => {
                            let input = Input::ModelFailed((&error).into());
                            failure = Some(error);
                            input
                        }
                        // The top of the loop says why.
                        Waited::Late | Waited::Cancelled => continue,
                    };
                    run.apply(self.plan, Input::Offered(next.allowed()), &mut &self.listeners);
                    self.apply(&mut run, input, clock);
                }
                Step::CheckCalls => {
                    let checking = self.check(run.effective_calls(), run.offered_tools());
                    let Waited::Done(checked) = self.wait(clock.deadline, checking).await else { continue };
                    self.tell_refused(checked.refused(|_| true)).await;
                    let input = Input::Checked(checked.verdicts.iter().flatten().map(Gate::checked).collect());
                    turn = Some(checked);
                    self.apply(&mut run, input, clock);
                }
                Step::AskApproval { pending } => {
                    let Waited::Done(decisions) = self.wait(clock.deadline, self.ask_approval(&run, pending)).await
                    else {
                        continue;
                    };
                    // An edit changes the call that the gates have seen.
                    turn = None;
                    self.audit_decided(&run, &decisions).await;
                    for decision in decisions {
                        self.apply(&mut run, decision, clock);
                    }
                }
                Step::CallTools { .. } => {
                    // A run that was taken up between two calls of a turn asks the gates again: rights may have changed.
                    let mut ready = match turn.take() {
                        Some(ready) => ready,
                        None => {
                            let checking = self.check(run.effective_calls(), run.offered_tools());
                            let Waited::Done(mut checked) = self.wait(clock.deadline, checking).await else { continue };
                            self.tell_refused(checked.refused(|index| run.is_ready(index))).await;
                            self.refuse(&mut run, &mut checked, clock);
                            checked
                        }
                    };
                    // Boxed: it is large, and a run waits mostly for its model.
                    Box::pin(self.run_tools(&mut run, &mut ready, clock)).await;
                }
                Step::CheckAnswer => {
                    self.take_answer(&mut run, clock).await;
                }
                Step::Suspended { .. } => {
                    if let Some(keeper) = &self.keeper
                        && let Err(error) = self.hand_over(keeper, &run).await
                    {
                        self.apply(&mut run, Input::NotSaved(error.to_string()), clock);
                        continue;
                    }
                    self.apply(&mut run, Input::Suspended, clock);
                    let suspended = AuditEvent::RunEnded { reason: "suspended".to_owned(), bound: None };
                    self.audit_given_up(suspended).await;
                    let record = run.record().clone();
                    return Err(RunError::new(RunErrorKind::Suspended(Box::new(run)), record, None, None));
                }
                Step::Done => {
                    let error = run.outcome().and_then(Result::err);
                    self.audit_ended(AuditEvent::run_ended(error)).await;
                    self.finish(&run).await;
                    if let Some(error) = run.outcome().and_then(Result::err) {
                        warn_ended(run.id(), error);
                    }
                    return ended(run, failure);
                }
            }
        }
    }

    /// Tells the run the time, and whether the host still wants it.
    async fn look_up(&self, run: &mut Run, clock: Clock) {
        self.look_up_at(run, clock, Instant::now()).await;
    }

    async fn look_up_at(&self, run: &mut Run, clock: Clock, now: Instant) {
        self.take_answer(run, clock).await;
        let mut sink = &self.listeners;
        run.apply(self.plan, Input::Clock(clock.elapsed_at(now)), &mut sink);
        if self.cancel.token().is_cancelled() {
            run.apply(self.plan, Input::Cancel(self.cancel.reason().to_owned()), &mut sink);
        }
    }

    /// Looks at an answer that is there. That waits for nothing but the audit of one that is refused, and so one that came in
    /// time counts, whatever the time is now.
    async fn take_answer(&self, run: &mut Run, clock: Clock) {
        if let Some(finish) = &self.finish
            && matches!(run.next(self.plan), Step::CheckCalls)
            && run.calls().iter().all(|call| self.plan.finish.as_ref() == Some(&call.name))
        {
            let checked: Vec<_> = run.calls().iter().map(|call| finish.check(call)).collect();
            self.tell_refused(run.calls().iter().zip(&checked).filter_map(gates::refused).collect()).await;
            self.apply(run, Input::Checked(checked), clock);
        }
        if run.offered_answer().is_some() {
            let taken = self.check_answer(run);
            if taken.is_err() {
                self.audit_answer_rejected(run).await;
            }
            self.apply(run, Input::AnswerChecked(taken), clock);
        }
    }

    /// Reports what came in time, also at the last moment: the deadline is looked at before the next step.
    fn apply(&self, run: &mut Run, input: Input, clock: Clock) {
        self.apply_at(run, input, clock, Instant::now());
    }

    fn apply_at(&self, run: &mut Run, input: Input, clock: Clock, now: Instant) {
        let mut sink = &self.listeners;
        let in_time = self.plan.limits.timeout.saturating_sub(Duration::from_nanos(1));
        run.apply(self.plan, Input::Clock(clock.elapsed_at(now).min(in_time)), &mut sink);
        run.apply(self.plan, input, &mut sink);
    }

    /// When the run's time is over.
    pub(super) fn deadline(&self, run: &Run) -> Instant {
        after(self.begun, self.plan.limits.timeout.saturating_sub(run.record().elapsed))
    }

    /// Waits within the run's time.
    pub(super) async fn wait<T>(&self, deadline: Instant, what: impl Future<Output = T>) -> Waited<T> {
        let end = || async {
            tokio::select! {
                biased;
                end = stop(deadline, self.cancel.token()) => end,
                never = self.keep() => match never {},
            }
        };
        unless(what, end).await.into()
    }

    /// Keeps the ownership of a stored run; never ends.
    async fn keep(&self) -> Infallible {
        match &self.keeper {
            Some(keeper) => keeper.keep().await,
            None => std::future::pending().await,
        }
    }
}

/// Alerts to a run that ended without an answer, once, when it ends. Only the kind, and the bound that it met: the words may
/// be the model's.
pub(super) fn warn_ended(run_id: &str, error: &RunErrorKind) {
    let bound = Bound::of(error);
    tracing::warn!(
        run = run_id,
        reason = error.as_str(),
        bound = bound.as_ref().map(|bound| bound.name),
        limit = bound.as_ref().and_then(|bound| bound.limit.as_deref()),
        value = bound.as_ref().and_then(|bound| bound.value.as_deref()),
        "run ended without an answer"
    );
}

/// The end of a run that has ended.
pub(super) fn ended(run: Run, failure: Option<ModelError>) -> Result<Ended, RunError> {
    match run.outcome() {
        Some(Ok(text)) => {
            let (text, value) = (text.to_owned(), run.value().map(str::to_owned));
            Ok(Ended { text, value, record: run.into_record() })
        }
        other => {
            let kind = match other {
                Some(Err(kind)) => kind.clone(),
                // `Step::Done` is given only by a run that has ended.
                _ => RunErrorKind::Invalid { what: "the run stopped without an end".to_owned() },
            };
            let text = run.closing_text().map(str::to_owned);
            let failure = failure.filter(|_| matches!(kind, RunErrorKind::ModelFailed(_)));
            Err(RunError::new(kind, run.into_record(), text, failure))
        }
    }
}
