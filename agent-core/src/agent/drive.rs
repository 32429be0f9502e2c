//! Does what a run asks for: the one place of the loop that awaits.

use std::sync::Arc;

use futures_util::stream::{FuturesUnordered, StreamExt};
use tokio::time::{Instant, timeout_at};
use tokio_util::sync::CancellationToken;

use super::observer::Observed;
use super::{Answer, Inner, RunError};
use crate::dispatch::{Dispatch, Verdict, after};
use crate::model::{ModelError, Reply, Request, ToolCall, ToolChoice};
use crate::run::{Checked, Event, Input, Plan, Purpose, Run, RunErrorKind, Step};
use crate::security::SecurityContext;

/// What does not change while a run is driven.
pub(super) struct Driver<'a, S> {
    pub(super) agent: &'a Inner<S>,
    pub(super) plan: &'a Plan,
    pub(super) run_id: Arc<str>,
    pub(super) caller: Arc<SecurityContext>,
    pub(super) cancel: CancellationToken,
}

/// What came of a wait that the deadline or the host may cut short.
enum Waited<T> {
    Done(T),
    Late,
    Cancelled,
}

/// Drives a run to its end.
///
/// Dropping the future ends the run where it is: reads are ended, a mutating call that has started goes on and settles.
pub(super) async fn drive<S: Send + Sync + 'static>(driver: Driver<'_, S>, mut run: Run) -> Result<Answer, RunError> {
    let start = Instant::now();
    let deadline = after(start, driver.plan.limits.timeout);
    let mut sink = Observed { run_id: &driver.run_id.clone(), observer: driver.agent.observer.as_deref() };
    let mut failure = None;
    loop {
        run.apply(driver.plan, Input::Clock(start.elapsed()), &mut sink);
        if driver.cancel.is_cancelled() {
            run.apply(driver.plan, cancelled(), &mut sink);
        }
        match run.next(driver.plan) {
            Step::CallModel { purpose } => {
                let asked = Instant::now();
                let input = match driver.wait(deadline, driver.ask(&run, purpose, deadline)).await {
                    Waited::Done(Ok(reply)) => Input::Reply(Box::new(reply), asked.elapsed()),
                    Waited::Done(Err(error)) => {
                        let input = Input::ModelFailed((&error).into());
                        failure = Some(error);
                        input
                    }
                    // The top of the loop says why.
                    Waited::Late | Waited::Cancelled => continue,
                };
                run.apply(driver.plan, Input::Clock(start.elapsed()), &mut sink);
                run.apply(driver.plan, input, &mut sink);
            }
            // A run that was taken up between two calls of a turn asks the gates again: rights may have changed.
            step @ (Step::CheckCalls | Step::CallTools { .. }) => {
                let calls = run.calls().to_vec();
                let Waited::Done(verdicts) = driver.wait(deadline, driver.check(&calls)).await else { continue };
                if step == Step::CheckCalls {
                    let checked = verdicts.iter().map(checked).collect();
                    run.apply(driver.plan, Input::Clock(start.elapsed()), &mut sink);
                    run.apply(driver.plan, Input::Checked(checked), &mut sink);
                }
                driver.run_tools(&mut run, &calls, verdicts, start, deadline, &mut sink).await;
            }
            Step::Done => return ended(run, failure),
        }
    }
}

impl<S: Send + Sync + 'static> Driver<'_, S> {
    /// Waits within the run's time.
    async fn wait<T>(&self, deadline: Instant, what: impl Future<Output = T>) -> Waited<T> {
        // `biased`: a reply that is there counts, even at the last moment.
        tokio::select! {
            biased;
            done = timeout_at(deadline, what) => match done {
                Ok(done) => Waited::Done(done),
                Err(_) => Waited::Late,
            },
            () = self.cancel.cancelled() => Waited::Cancelled,
        }
    }

    async fn ask(&self, run: &Run, purpose: Purpose, deadline: Instant) -> Result<Reply, ModelError> {
        let (tools, choice) = match purpose {
            Purpose::Turn => (self.agent.toolbox.definitions(), ToolChoice::Auto),
            // The history names tools, so they stay listed; calling one is what is not allowed.
            Purpose::Close => (self.agent.toolbox.definitions(), ToolChoice::None),
        };
        let request = Request::new(run.messages())
            .run_id(&self.run_id)
            .system(self.agent.system.as_deref())
            .tools(tools)
            .tool_choice(choice)
            .deadline(Some(deadline));
        self.agent.model.reply(request).await
    }

    /// Asks the gates about every call of a turn.
    async fn check(&self, calls: &[ToolCall]) -> Vec<Verdict<S>> {
        let mut verdicts = Vec::with_capacity(calls.len());
        for call in calls {
            verdicts.push(self.agent.toolbox.check(call, &self.caller).await);
        }
        verdicts
    }

    /// Runs the calls of a turn as the run allows them, until each has its result.
    ///
    /// It ends without a look at the clock of its own: every call ends by the run's deadline or its cancellation.
    async fn run_tools(
        &self,
        run: &mut Run,
        calls: &[ToolCall],
        verdicts: Vec<Verdict<S>>,
        start: Instant,
        deadline: Instant,
        sink: &mut Observed<'_>,
    ) {
        let mut verdicts: Vec<_> = verdicts.into_iter().map(Some).collect();
        let mut running = FuturesUnordered::new();
        let cycle = run.cycle();
        loop {
            run.apply(self.plan, Input::Clock(start.elapsed()), sink);
            if self.cancel.is_cancelled() {
                run.apply(self.plan, cancelled(), sink);
            }
            let Step::CallTools { start: begin } = run.next(self.plan) else { return };
            for index in begin {
                run.apply(self.plan, Input::ToolStarted(index), sink);
                match verdicts[index].take() {
                    Some(Verdict::Ready(admitted)) => {
                        let (call, at) = (&calls[index], self.dispatch(cycle, index, deadline));
                        running.push(async move { (index, self.agent.toolbox.execute(admitted, call, &at).await) });
                    }
                    Some(Verdict::Refused(result)) => {
                        run.apply(self.plan, Input::ToolDone(index, Box::new(result)), sink);
                    }
                    // The run starts each call once.
                    None => {}
                }
            }
            if let Some((index, result)) = running.next().await {
                run.apply(self.plan, Input::Clock(start.elapsed()), sink);
                run.apply(self.plan, Input::ToolDone(index, Box::new(result)), sink);
            }
        }
    }

    fn dispatch(&self, cycle: u32, index: usize, deadline: Instant) -> Dispatch<'_, S> {
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        let mut at = Dispatch::new(&self.caller, &self.agent.state, &self.agent.store, &self.run_id)
            .position(cycle, index)
            .deadline(Some(deadline))
            .cancel(self.cancel.clone())
            .limits(self.plan.limits.call_limits());
        at.progress = self.agent.observer.as_ref().map(|observer| {
            let (observer, run_id) = (observer.clone(), self.run_id.clone());
            let sink: crate::tool::ProgressSink = Arc::new(move |call_id, report| {
                observer.event(&run_id, &Event::CallProgress { call_id, report: &report });
            });
            sink
        });
        at
    }
}

fn checked<S>(verdict: &Verdict<S>) -> Checked {
    match verdict {
        Verdict::Ready(admitted) => Checked::ready(admitted.tool, admitted.digest),
        Verdict::Refused(result) => Checked::Refused(Box::new(result.clone())),
    }
}

fn cancelled() -> Input {
    Input::Cancel("the host's token was cancelled".to_owned())
}

fn ended(run: Run, failure: Option<ModelError>) -> Result<Answer, RunError> {
    match run.outcome() {
        Some(Ok(text)) => {
            let text = text.to_owned();
            Ok(Answer::new((), text, run.into_record()))
        }
        other => {
            let kind = match other {
                Some(Err(kind)) => kind.clone(),
                // `Step::Done` is given only by a run that has ended.
                _ => RunErrorKind::Invalid { what: "the run stopped without an end".to_owned() },
            };
            tracing::warn!(run = run.id(), reason = kind.as_str(), "run ended without an answer: {kind}");
            let text = run.closing_text().map(str::to_owned);
            let failure = failure.filter(|_| matches!(kind, RunErrorKind::ModelFailed(_)));
            Err(RunError::new(kind, run.into_record(), text, failure))
        }
    }
}
