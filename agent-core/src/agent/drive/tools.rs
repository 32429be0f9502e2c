//! Runs the calls of a turn.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use futures_util::stream::{FuturesUnordered, StreamExt};
use tokio::time::Instant;

use super::gates::{Gate, Turn};
use super::{Clock, Driver};
use crate::dispatch::{Dispatch, ToolResult, code, held_back};
use crate::idempotency::Position;
use crate::run::{Input, Run, Step};
use crate::tool::ProgressSink;

/// The place of a call in its turn, with its result, and when that was there.
pub(super) type Done = (usize, ToolResult, Instant);

/// The calls that run beside whatever else is waited for.
pub(super) struct Beside<F> {
    pub(super) running: FuturesUnordered<Pin<Box<F>>>,
    /// Those that have ended, and of which the run does not know yet.
    pub(super) done: VecDeque<Done>,
}

impl<F> Default for Beside<F> {
    fn default() -> Self {
        Self { running: FuturesUnordered::new(), done: VecDeque::new() }
    }
}

impl<F: Future<Output = Done>> Beside<F> {
    /// Begins a call, which may end at once.
    async fn begin(&mut self, mut call: Pin<Box<F>>) {
        match poll_fn(|context| Poll::Ready(call.as_mut().poll(context))).await {
            Poll::Ready(done) => self.done.push_back(done),
            Poll::Pending => self.running.push(call),
        }
    }
}

impl<S: Send + Sync + 'static> Driver<'_, S> {
    /// Runs the calls of a turn as the run allows them, until each has its result or waits for people.
    ///
    /// It needs no look at the deadline of its own: every call ends by the run's deadline or its cancellation.
    pub(super) async fn run_tools(&self, run: &mut Run, turn: &mut Turn<S>, clock: Clock) {
        let number = run.turns_with_calls();
        let at = self.dispatch(clock.deadline);
        let mut beside = Beside::default();
        let Turn { calls, verdicts } = turn;
        let mut now = Instant::now();
        loop {
            self.look_up_at(run, clock, now).await;
            let begin = match run.next(self.plan) {
                Step::CallTools { start } => start,
                _ => return,
            };
            for index in begin {
                run.apply(self.plan, Input::ToolStarted(index), &mut &self.listeners);
                match verdicts.get_mut(index).and_then(Option::take) {
                    Some(Gate::Tool(Ok(passed))) => {
                        let (call, at) = (&calls[index], &at);
                        let place = u32::try_from(index).unwrap_or(u32::MAX);
                        let position = Position { turn: number, index: place };
                        let running = async move {
                            let started = Instant::now();
                            let (result, ended) = self.agent.toolbox.run(passed, call, at, position, started).await;
                            (index, result, ended)
                        };
                        beside.begin(Box::pin(running)).await;
                    }
                    Some(Gate::Tool(Err(result))) => {
                        run.apply(self.plan, Input::ToolDone(index, result), &mut &self.listeners);
                    }
                    // The run starts each call once, and never the finish tool; a damaged one may ask for more.
                    Some(Gate::Finish(_)) | None => {
                        let why = "nothing is known of it that could be run.";
                        let result = held_back(&calls[index], code::NOT_RUN, why, "Make it again.");
                        run.apply(self.plan, Input::ToolDone(index, Box::new(result)), &mut &self.listeners);
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
            let Some((index, result, ended)) = done else {
                now = Instant::now();
                continue;
            };
            self.apply_at(run, Input::ToolDone(index, Box::new(result)), clock, ended);
            now = ended;
            if self.keeper.is_some() {
                // A call that the end of the run has cut short is not kept as one that has its result.
                self.look_up(run, clock).await;
                self.save(run, clock, &mut beside).await;
                now = Instant::now();
            }
        }
    }

    /// What the calls of a turn have in common.
    fn dispatch(&self, deadline: Instant) -> Dispatch<'_, S> {
        let progress = (self.listeners.observer.is_some() || self.listeners.queue.is_some()).then(|| {
            let listeners = self.listeners.clone();
            let sink: ProgressSink = Arc::new(move |call_id, report| {
                listeners.progress(call_id, report);
            });
            sink
        });
        Dispatch {
            caller: &self.caller,
            state: &self.agent.state,
            store: &self.agent.store,
            run_id: &self.run_id,
            position: Position::default(),
            deadline: Some(deadline),
            cancel: self.cancel.token().clone(),
            limits: self.plan.limits.call_limits(),
            // A run starts a call that needs a decision once there is one.
            approved: true,
            progress,
            audit: self.audit.clone(),
        }
    }
}
