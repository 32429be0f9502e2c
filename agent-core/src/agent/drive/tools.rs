//! Runs the calls of a turn.

use std::collections::VecDeque;
use std::sync::Arc;

use futures_util::stream::{FuturesUnordered, StreamExt};
use tokio::time::Instant;

use super::gates::{Gate, Turn};
use super::{Clock, Driver};
use crate::dispatch::{Dispatch, ToolResult, Verdict, code, held_back};
use crate::run::{Input, Run, Step};
use crate::tool::ProgressSink;

/// The place of a call in its turn, with its result.
pub(super) type Done = (usize, ToolResult);

/// The calls that run beside whatever else is waited for.
pub(super) struct Beside<F> {
    pub(super) running: FuturesUnordered<F>,
    /// Those that have ended, and of which the run does not know yet.
    pub(super) done: VecDeque<Done>,
}

impl<F> Default for Beside<F> {
    fn default() -> Self {
        Self { running: FuturesUnordered::new(), done: VecDeque::new() }
    }
}

impl<S: Send + Sync + 'static> Driver<'_, S> {
    /// Runs the calls of a turn as the run allows them, until each has its result or waits for people.
    ///
    /// It needs no look at the deadline of its own: every call ends by the run's deadline or its cancellation.
    pub(super) async fn run_tools(&self, run: &mut Run, turn: &mut Turn<S>, clock: Clock) {
        let mut beside = Beside::default();
        let number = run.turns_with_calls();
        loop {
            self.look_up(run, clock).await;
            let begin = match run.next(self.plan) {
                Step::CallTools { start } => start,
                _ => return,
            };
            for index in begin {
                run.apply(self.plan, Input::ToolStarted(index), &mut self.listeners.clone());
                match turn.verdicts.get_mut(index).and_then(Option::take) {
                    Some(Gate::Tool(Verdict::Ready(admitted))) => {
                        let at = self.dispatch(number, index, clock.deadline);
                        beside.running.push(async move { (index, self.agent.toolbox.execute(admitted, &at).await) });
                    }
                    Some(Gate::Tool(Verdict::Refused(result))) => {
                        run.apply(self.plan, Input::ToolDone(index, Box::new(result)), &mut self.listeners.clone());
                    }
                    // The run starts each call once, and never the finish tool; a damaged one may ask for more.
                    Some(Gate::Finish(_)) | None => {
                        let why = "nothing is known of it that could be run.";
                        let result = held_back(&turn.calls[index], code::NOT_RUN, why, "Make it again.");
                        run.apply(self.plan, Input::ToolDone(index, Box::new(result)), &mut self.listeners.clone());
                    }
                }
            }
            let done = match beside.done.pop_front() {
                Some(done) => Some(done),
                None => tokio::select! {
                    biased;
                    done = beside.running.next() => done,
                    never = self.keep() => match never {},
                },
            };
            if let Some((index, result)) = done {
                self.apply(run, Input::ToolDone(index, Box::new(result)), clock);
                // A call that the end of the run has cut short is not kept as one that has its result.
                self.look_up(run, clock).await;
                self.save(run, clock, &mut beside).await;
            }
        }
    }

    fn dispatch(&self, turn: u32, index: usize, deadline: Instant) -> Dispatch<'_, S> {
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        let mut at = Dispatch::new(&self.caller, &self.agent.state, &self.agent.store, &self.run_id)
            .position(turn, index)
            .deadline(Some(deadline))
            .cancel(self.cancel.token().clone())
            .limits(self.plan.limits.call_limits())
            // A run starts a call that needs a decision once there is one.
            .approved();
        at.audit = self.audit.clone();
        if self.listeners.observer.is_some() || self.listeners.queue.is_some() {
            let listeners = self.listeners.clone();
            let sink: ProgressSink = Arc::new(move |call_id, report| {
                listeners.progress(call_id, report);
            });
            at.progress = Some(sink);
        }
        at
    }
}
