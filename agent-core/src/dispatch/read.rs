//! The running of a tool that only reads.

use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until, timeout_at};
use tracing::Instrument;

use super::effect::retry_wait;
use super::gates::Admitted;
use super::outcome::{business_error, cancelled, internal_failure, unreadable};
use super::ran::Ran;
use super::result::{Status, ToolResult, code};
use super::toolbox::{Dispatch, Toolbox, after};
use crate::model::ToolCall;
use crate::tool::{CallContext, CallContextInner};

/// A read on its own task, again after a transient fault as often as the tool asks, all within its time.
///
/// Nothing of it is left when the returned future is dropped, as far as the tool lets go of its thread.
pub(super) async fn run<S: Send + Sync + 'static>(
    toolbox: &Toolbox<S>,
    admitted: Admitted<S>,
    call: &ToolCall,
    at: &Dispatch<'_, S>,
) -> ToolResult {
    let entry = &toolbox.tools[admitted.tool];
    let until = at.until(&entry.facts);
    let cancel = at.cancel.child_token();
    let context = CallContext::new(CallContextInner {
        caller: at.caller.clone(),
        call_id: call.id.clone(),
        run_id: at.run_id.clone(),
        key: None,
        deadline: Some(until),
        cancel: cancel.clone(),
        progress: at.progress.clone(),
    });
    let _cancel_on_drop = cancel.drop_guard();
    let repeat = entry.repeat(call, true);
    let Some(mut prepared) = admitted.prepared.into_inner() else { return internal_failure(call) };
    let mut attempts = 1;
    loop {
        let (state, context) = (at.state.clone(), context.with_attempt(attempts));
        let task = tokio::spawn(Ran::of(move || prepared(state, context)).in_current_span());
        let ran = match wait(task, until, at).await {
            Waited::Ended(ran) => ran,
            Waited::Late => return timed_out(call).with_attempts(attempts),
            Waited::Cancelled => return cancelled(call).with_attempts(attempts),
        };
        let again = match &repeat {
            Some(repeat) if ran.is_transient() && Instant::now() + retry_wait(attempts) < until => {
                repeat.again(attempts)
            }
            _ => None,
        };
        let Some(again) = again else { return finished(call, ran).with_attempts(attempts) };
        tokio::select! {
            biased;
            () = at.cancel.cancelled() => return cancelled(call).with_attempts(attempts),
            () = pause(retry_wait(attempts), until) => {}
        }
        let Some(again) = again.into_inner() else { return internal_failure(call) };
        prepared = again;
        attempts += 1;
    }
}

enum Waited {
    Ended(Ran),
    Late,
    Cancelled,
}

async fn wait<S>(task: JoinHandle<Ran>, until: Instant, at: &Dispatch<'_, S>) -> Waited {
    let mut task = AbortOnDrop(task);
    // `biased`: a result that is there counts, even at the last moment.
    tokio::select! {
        biased;
        joined = timeout_at(until, &mut task.0) => match joined {
            Ok(joined) => Waited::Ended(Ran::joined(joined)),
            Err(_) => Waited::Late,
        },
        () = at.cancel.cancelled() => Waited::Cancelled,
    }
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
