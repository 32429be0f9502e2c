//! The running of a tool that changes something: claimed before, settled after, never dropped in between.

mod audit;
mod claim;
mod guarded;
mod phase;

use std::fmt::Display;
use std::sync::Arc;

use serde_json::json;
use tokio::time::Instant;

use self::audit::Audit;
pub(super) use self::claim::retry_wait;
use self::claim::{EARLIER_CALL, Ended, Supervisor};
use self::guarded::Guarded;
use self::phase::{Abandoned, Phase};
use super::gates::Passed;
use super::outcome::{business_error, cancelled, held_back, internal_failure, unreadable};
use super::result::{Status, ToolResult, code};
use super::toolbox::{Dispatch, Toolbox};
use crate::audit::AuditCall;
use crate::idempotency::{IdempotencyKey, Position};
use crate::lease::Lease;
use crate::model::ToolCall;
use crate::tool::{CallContext, CallContextInner, CallEnd, Duplicates, EndOnDrop};
use crate::waits::{Begun, Stop, begin, let_others_run, stop, unless};

/// What the attribute says of the effect.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kind {
    pub(super) duplicates: Duplicates,
    pub(super) keyed: bool,
}

/// Claims, runs and settles as work of its own, and waits for it within the call's time. Gives the result, and when it was
/// there.
///
/// When the wait ends early, by time, cancellation or because this future is dropped, a call that
/// has not started never starts, and one that has started goes on, settles, and counts as running
/// until then.
pub(super) async fn run<S: Send + Sync + 'static>(
    toolbox: &Toolbox<S>,
    passed: Passed<S>,
    call: &ToolCall,
    at: &Dispatch<'_, S>,
    position: Position,
    kind: Kind,
) -> (ToolResult, Instant) {
    let entry = &toolbox.tools[passed.tool];
    let now = Instant::now();
    let until = at.until(&entry.facts, now);
    let begin_by = begin_by(at, until, now);
    if now > begin_by {
        return (too_late(call), now);
    }
    if at.cancel.is_cancelled() {
        return (cancelled(call), now);
    }
    let tenant = at.caller.tenant();
    let key = IdempotencyKey::new(tenant, at.run_id, &entry.facts.name, &passed.digest, position, kind.duplicates);
    let phase = Arc::new(Phase::default());
    let context = CallContext::new(CallContextInner {
        caller: at.caller.clone(),
        call_id: call.id.clone(),
        run_id: at.run_id.clone(),
        key: Some(key.clone()),
        deadline: Some(until),
        end: CallEnd::default(),
        progress: at.progress.clone(),
    });
    let leave = LeaveOnDrop { phase: phase.clone(), _end: context.end_on_drop() };
    let audit = toolbox.audit(at).map(|audit| {
        let call = AuditCall::of(call, true).key(Some(key.as_str().to_owned()));
        Arc::new(Audit::new(audit, call, at.limits.grace))
    });
    let supervisor = Supervisor {
        audit: audit.clone(),
        store: Guarded(at.store.clone()),
        key: key.clone(),
        digest: passed.digest,
        tool: entry.facts.name.clone(),
        keyed: kind.keyed,
        state: at.state.clone(),
        repeat: entry.repeat(call, kind.keyed),
        question: entry.question(call),
        context,
        phase: phase.clone(),
        until,
        begin_by,
        grace: at.limits.grace,
        lease: Lease::new(at.limits.lease),
        _running: toolbox.in_flight().enter(call.id.clone()),
    };
    let audit = audit.as_deref();
    let result = match begin(Box::pin(supervisor.supervise(passed.prepared))).await {
        Begun::Ended(Some(ended)) => {
            let_others_run(now, Instant::now()).await;
            ended_result(call, ended)
        }
        Begun::Ended(None) => joined_result(call, Err("it panicked"), &phase, audit).await,
        Begun::GoesOn(mut task) => match unless(&mut task, || stop(until, &at.cancel)).await {
            Ok(joined) => joined_result(call, joined, &phase, audit).await,
            Err(why) => match left_result(call, why.into(), &phase, audit).await {
                Some(result) => result,
                None => joined_result(call, task.await, &phase, audit).await,
            },
        },
    };
    let result = result.with_attempts(phase.attempts());
    drop(leave);
    (result.with_key(Some(key.as_str().to_owned())), Instant::now())
}

/// The last moment at which the effect may begin, with enough left of the run's time and of its own.
fn begin_by<S>(at: &Dispatch<'_, S>, until: Instant, now: Instant) -> Instant {
    let before = |end: Instant, time| end.checked_sub(time).unwrap_or(now);
    // A tool that may take less than `min_effect_time` in all still begins within its first half.
    let own = until.saturating_duration_since(now) / 2;
    let by_itself = before(until, at.limits.min_effect_time.min(own));
    at.deadline.map_or(by_itself, |deadline| before(deadline, at.limits.min_effect_time).min(by_itself))
}

/// Why nobody waits for a call any more.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Left {
    Timeout,
    Cancelled,
    Lost,
}

impl From<Stop> for Left {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Late => Self::Timeout,
            Stop::Cancelled => Self::Cancelled,
        }
    }
}

impl Left {
    fn as_str(self) -> &'static str {
        match self {
            Self::Timeout => "timeout",
            Self::Cancelled => "cancelled",
            Self::Lost => "lost",
        }
    }
}

/// Tells the supervisor, however the wait ends, that nobody waits any more.
struct LeaveOnDrop {
    phase: Arc<Phase>,
    /// Dropped after it was told.
    _end: EndOnDrop,
}

impl Drop for LeaveOnDrop {
    fn drop(&mut self) {
        self.phase.abandon();
    }
}

fn ended_result(call: &ToolCall, ended: Ended) -> ToolResult {
    match ended {
        Ended::Value(data) => ToolResult::success(call, data),
        Ended::Replayed(Some(data)) => ToolResult::success(call, data).with_replayed(true),
        Ended::Replayed(None) => unreadable(call).with_replayed(true),
        Ended::Unreadable => unreadable(call),
        Ended::Business(error) => business_error(call, &error),
        Ended::NotDone => internal_failure(call),
        Ended::TooLate => too_late(call),
        Ended::Unknown(cause) => unknown(call, cause),
        Ended::InFlight => in_flight(call),
        Ended::Conflict => {
            let message = "The key of this call was used for another call. Do not call it again; tell the person.";
            ToolResult::error(call, Status::FatalError, code::KEY_CONFLICT, message, None)
        }
        Ended::StoreUnavailable => store_unavailable(call),
        Ended::AuditUnavailable => {
            let message = "The call was not run: it could not be recorded who makes it. Tell the person.";
            ToolResult::error(call, Status::FatalError, code::AUDIT_UNAVAILABLE, message, None)
        }
        Ended::Cancelled => cancelled(call),
        Ended::NotReleased(ended) => ended_result(call, *ended),
    }
}

/// The result of a call whose task has ended.
async fn joined_result(
    call: &ToolCall,
    joined: Result<Ended, impl Display>,
    phase: &Phase,
    audit: Option<&Audit>,
) -> ToolResult {
    match joined {
        Ok(ended) => ended_result(call, ended),
        // The supervisor itself broke down: the runtime is going away.
        Err(error) => {
            tracing::error!(tool = call.name, call = %call.id, %error, "a claim's task did not end by itself");
            left_result(call, Left::Lost, phase, audit).await.unwrap_or_else(|| unknown(call, Left::Lost.as_str()))
        }
    }
}

/// The result of a call that nobody waits for any more; none where its end is known, and only the audit is still told.
async fn left_result(call: &ToolCall, why: Left, phase: &Phase, audit: Option<&Audit>) -> Option<ToolResult> {
    // Left and told in one turn: what whoever runs it tells of its end comes before both, or after.
    let turn = match audit {
        Some(audit) => Some(audit.turn().await),
        None => None,
    };
    let cause = match phase.abandon() {
        Abandoned::Ended => return None,
        Abandoned::Claiming | Abandoned::Waiting if why == Left::Cancelled => return Some(cancelled(call)),
        Abandoned::Claiming => return Some(store_unavailable(call)),
        Abandoned::Waiting => return Some(in_flight(call)),
        Abandoned::Doubtful => EARLIER_CALL,
        Abandoned::Running => why.as_str(),
    };
    if let Some(mut turn) = turn {
        turn.unknown(cause).await;
    }
    Some(unknown(call, cause))
}

fn unknown(call: &ToolCall, cause: &'static str) -> ToolResult {
    tracing::error!(tool = call.name, call = %call.id, cause, "the outcome of a mutating call is unknown");
    let message = "Nobody can tell whether this call took effect. Do not call it again; tell the person.";
    let details = json!({ "cause": cause });
    ToolResult::error(call, Status::FatalError, code::OUTCOME_UNKNOWN, message, Some(details))
}

fn too_late(call: &ToolCall) -> ToolResult {
    held_back(call, code::NOT_RUN, "too little time is left to change anything safely.", "Tell the person.")
}

fn in_flight(call: &ToolCall) -> ToolResult {
    let message = "The same call is already running and has not ended. Take another way or tell the person.";
    ToolResult::error(call, Status::FatalError, code::CALL_IN_FLIGHT, message, None)
}

fn store_unavailable(call: &ToolCall) -> ToolResult {
    let message = "The call was not run: it could not be recorded that it happens once. Tell the person.";
    ToolResult::error(call, Status::FatalError, code::STORE_UNAVAILABLE, message, None)
}
