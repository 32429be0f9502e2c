//! The running of a tool that only reads.

use std::time::Duration;

use tokio::task::{JoinError, JoinHandle};
use tokio::time::{Instant, sleep_until, timeout_at};

use super::effect::retry_wait;
use super::gates::Admitted;
use super::outcome::{business_error, cancelled, internal_failure, unreadable};
use super::result::{Status, ToolResult, code};
use super::toolbox::{Dispatch, Toolbox, after};
use crate::model::ToolCall;
use crate::tool::{CallContext, CallContextInner, Outcome};

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
    let mut prepared = admitted.prepared;
    let mut attempts = 1;
    loop {
        let task = tokio::spawn(prepared(at.state.clone(), context.with_attempt(attempts)));
        let outcome = match wait(task, until, at).await {
            Waited::Ended(outcome) => outcome,
            Waited::Died(error) => return died(call, &error).with_attempts(attempts),
            Waited::Late => return timed_out(call).with_attempts(attempts),
            Waited::Cancelled => return cancelled(call).with_attempts(attempts),
        };
        let again = match &outcome {
            Outcome::Failed(error) if error.is_transient() && Instant::now() + retry_wait(attempts) < until => {
                repeat.as_ref().and_then(|repeat| repeat.again(attempts))
            }
            _ => None,
        };
        let Some(again) = again else { return finished(call, outcome).with_attempts(attempts) };
        tokio::select! {
            biased;
            () = at.cancel.cancelled() => return cancelled(call).with_attempts(attempts),
            () = pause(retry_wait(attempts), until) => {}
        }
        prepared = again;
        attempts += 1;
    }
}

enum Waited {
    Ended(Outcome),
    Died(JoinError),
    Late,
    Cancelled,
}

async fn wait<S>(task: JoinHandle<Outcome>, until: Instant, at: &Dispatch<'_, S>) -> Waited {
    let mut task = AbortOnDrop(task);
    // `biased`: a result that is there counts, even at the last moment.
    tokio::select! {
        biased;
        joined = timeout_at(until, &mut task.0) => match joined {
            Ok(Ok(outcome)) => Waited::Ended(outcome),
            Ok(Err(error)) => Waited::Died(error),
            Err(_) => Waited::Late,
        },
        () = at.cancel.cancelled() => Waited::Cancelled,
    }
}

struct AbortOnDrop(JoinHandle<Outcome>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn finished(call: &ToolCall, outcome: Outcome) -> ToolResult {
    match outcome {
        Outcome::Value(data) => ToolResult::success(call, data),
        Outcome::Unreadable(error) => {
            tracing::error!(tool = call.name, call = %call.id, %error, "the result cannot be written as JSON");
            unreadable(call)
        }
        Outcome::Failed(error) => match error.into_parts() {
            Ok(business) => business_error(call, &business),
            Err(fatal) => {
                tracing::error!(tool = call.name, call = %call.id, error = %fatal.source, "the tool failed");
                internal_failure(call)
            }
        },
    }
}

fn died(call: &ToolCall, error: &JoinError) -> ToolResult {
    tracing::error!(tool = call.name, call = %call.id, %error, "the tool did not end by itself");
    if error.is_panic() {
        let message = "The tool broke down. Take another way or tell the person.";
        ToolResult::error(call, Status::FatalError, code::TOOL_PANICKED, message, None)
    } else {
        cancelled(call)
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
