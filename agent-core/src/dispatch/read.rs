//! The running of a tool that only reads.

use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};

use super::effect::retry_wait;
use super::gates::Passed;
use super::outcome::{business_error, cancelled, internal_failure, unreadable};
use super::ran::Ran;
use super::result::{Status, ToolResult, code};
use super::toolbox::{Dispatch, Repeat, Toolbox, after};
use crate::guest::Theirs;
use crate::model::ToolCall;
use crate::tool::{CallContext, CallContextInner, CallEnd, Prepared};
use crate::waits::{Begun, Stop, let_others_run, stop, unless};

/// A read as work of its own, again after a transient fault as often as the tool asks, all within its time. Gives its
/// result, and when it was there.
///
/// Nothing of it is left when the returned future is dropped, as far as the tool lets go of its thread.
pub(super) async fn run<S: Send + Sync + 'static>(
    toolbox: &Toolbox<S>,
    passed: Passed<S>,
    call: &ToolCall,
    at: &Dispatch<'_, S>,
    started: Instant,
) -> (ToolResult, Instant) {
    if at.cancel.is_cancelled() {
        return (cancelled(call), started);
    }
    let entry = &toolbox.tools[passed.tool];
    let until = at.until(&entry.facts, started);
    let context = CallContext::new(CallContextInner {
        caller: at.caller.clone(),
        call_id: call.id.clone(),
        run_id: at.run_id.clone(),
        key: None,
        deadline: Some(until),
        end: CallEnd::under(&at.cancel),
        progress: at.progress.clone(),
    });
    let _end = context.end_on_drop();
    let repeat = entry.repeat(call, true);
    let reading = Reading { call, at, context, until, repeat };
    match Ran::begin(passed.prepared, at.state.clone(), reading.context.clone(), until > started).await {
        Begun::Ended(ran) => {
            let ended = Instant::now();
            let_others_run(started, ended).await;
            let ran = ran.unwrap_or(Ran::Panicked);
            if reading.repeats(&ran) {
                // Boxed, as below: most reads end at once.
                return Box::pin(reading.go_on(Ok(ran))).await;
            }
            (finished(call, ran).with_attempts(1), ended)
        }
        Begun::GoesOn(task) => Box::pin(reading.go_on(Err(AbortOnDrop(task)))).await,
    }
}

/// A read that is not done at once.
struct Reading<'r, 'a, S> {
    call: &'r ToolCall,
    at: &'r Dispatch<'a, S>,
    context: CallContext,
    until: Instant,
    repeat: Option<Repeat<S>>,
}

impl<S: Send + Sync + 'static> Reading<'_, '_, S> {
    /// Whether the tool is to be called again after this.
    fn repeats(&self, ran: &Ran) -> bool {
        self.repeat.is_some() && ran.is_transient()
    }

    /// Waits for the first try, and makes those after it.
    async fn go_on(self, mut tried: Result<Ran, AbortOnDrop>) -> (ToolResult, Instant) {
        let Self { call, at, until, .. } = self;
        let mut attempts = 1;
        let result = loop {
            let ran = match tried {
                Ok(ran) => ran,
                Err(task) => match wait(task, until, at).await {
                    Ok(ran) => ran,
                    Err(Stop::Late) => break timed_out(call),
                    Err(Stop::Cancelled) => break cancelled(call),
                },
            };
            let again = match &self.repeat {
                Some(repeat) if ran.is_transient() && Instant::now() + retry_wait(attempts) < until => {
                    repeat.again(attempts)
                }
                _ => None,
            };
            let Some(again) = again else { break finished(call, ran) };
            tokio::select! {
                biased;
                () = at.cancel.cancelled() => break cancelled(call),
                () = pause(retry_wait(attempts), until) => {}
            }
            attempts += 1;
            tried = self.begin(again, attempts).await;
        };
        (result.with_attempts(attempts), Instant::now())
    }

    async fn begin(&self, prepared: Theirs<Prepared<S>>, attempt: u32) -> Result<Ran, AbortOnDrop> {
        let (state, context): (Arc<S>, _) = (self.at.state.clone(), self.context.with_attempt(attempt));
        match Ran::begin(prepared, state, context, Instant::now() < self.until).await {
            Begun::Ended(ran) => Ok(ran.unwrap_or(Ran::Panicked)),
            Begun::GoesOn(task) => Err(AbortOnDrop(task)),
        }
    }
}

async fn wait<S>(mut task: AbortOnDrop, until: Instant, at: &Dispatch<'_, S>) -> Result<Ran, Stop> {
    unless(&mut task.0, || stop(until, &at.cancel)).await.map(Ran::joined)
}

struct AbortOnDrop(JoinHandle<Ran>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn finished(call: &ToolCall, ran: Ran) -> ToolResult {
    match ran {
        Ran::Value(data) => ToolResult::success(call, data),
        Ran::Unreadable(error) => {
            tracing::error!(tool = call.name, call = %call.id, error, "the result cannot be written as JSON");
            unreadable(call)
        }
        Ran::Business(business) => business_error(call, &business),
        Ran::Fatal(fault) => {
            tracing::error!(tool = call.name, call = %call.id, error = fault.why, "the tool failed");
            internal_failure(call)
        }
        Ran::Panicked => {
            tracing::error!(tool = call.name, call = %call.id, "the tool panicked");
            let message = "The tool broke down. Take another way or tell the person.";
            ToolResult::error(call, Status::FatalError, code::TOOL_PANICKED, message, None)
        }
        Ran::Lost => {
            tracing::error!(tool = call.name, call = %call.id, "the tool did not end by itself");
            cancelled(call)
        }
    }
}

fn timed_out(call: &ToolCall) -> ToolResult {
    tracing::warn!(tool = call.name, call = %call.id, "the tool took too long");
    let message = "The tool took too long and was stopped. Take another way or tell the person.";
    ToolResult::error(call, Status::FatalError, code::TOOL_TIMEOUT, message, None)
}

/// Waits until `until`; used where a wait must end with the call's time.
pub(super) async fn pause(time: Duration, until: Instant) {
    sleep_until(after(Instant::now(), time).min(until)).await;
}
