//! The tools of an agent, ready to be called.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::Instrument;

use super::gates::{self, Admitted, Gated, Passed, Verdict};
use super::outcome::{cancelled, held_back};
use super::reads::{Reads, Schema};
use super::result::{ToolResult, code};
use super::running::InFlight;
use super::{effect, read};
use crate::agent::Limits;
use crate::audit::{AuditCall, AuditEvent, Auditor, RunAudit};
use crate::guest::{Theirs, awaited, quiet};
use crate::idempotency::{IdempotencyStore, Position};
use crate::model::{CallId, ToolCall, ToolDefinition};
use crate::security::{Access, Authorizer, Denied, SecurityContext, by_roles};
use crate::telemetry::{Redact, SharedRedact, spans};
use crate::tool::{Asking, Effect, Prepared, ProgressSink, ToolFacts};
use crate::waits::{Stop, stop, unless};

/// The tools of an agent, each with its checks.
///
/// [`dispatch`](Self::dispatch) answers one call without a loop; an [`Agent`](crate::Agent) uses the same.
pub struct Toolbox<S = ()> {
    pub(super) tools: Vec<Entry<S>>,
    by_name: HashMap<Cow<'static, str>, usize>,
    definitions: Vec<ToolDefinition>,
    /// By roles, where there is none.
    authorizer: Option<Arc<dyn Authorizer>>,
    in_flight: Arc<InFlight>,
    auditor: Option<Arc<Auditor>>,
    content: Option<SharedRedact>,
}

/// One tool of a toolbox.
pub(crate) struct Entry<S> {
    pub(crate) facts: ToolFacts,
    pub(crate) reads: Arc<dyn Reads<S>>,
    pub(crate) schema: Schema,
}

/// The question whether a call has happened, for a tool that can answer it.
pub(super) struct Question<S> {
    reads: Arc<dyn Reads<S>>,
    arguments: String,
}

impl<S> Question<S> {
    /// The question, with the call's arguments in hand.
    pub(super) fn ask(&self) -> Option<Asking<S>> {
        quiet(|| self.reads.question(&self.arguments)).flatten()
    }
}

/// A call that may be made again.
pub(super) struct Repeat<S> {
    reads: Arc<dyn Reads<S>>,
    arguments: String,
    retries: u32,
}

impl<S> Entry<S> {
    /// The call once more, where the tool asks for retries and may have them.
    pub(super) fn repeat(&self, call: &ToolCall, allowed: bool) -> Option<Repeat<S>> {
        (allowed && self.facts.retries > 0).then(|| Repeat {
            reads: self.reads.clone(),
            arguments: call.arguments.clone(),
            retries: self.facts.retries,
        })
    }

    /// The question whether the call has happened, where the tool can answer it.
    pub(super) fn question(&self, call: &ToolCall) -> Option<Question<S>> {
        matches!(self.facts.effect, Effect::Mutating { reconciles: true, .. })
            .then(|| Question { reads: self.reads.clone(), arguments: call.arguments.clone() })
    }
}

impl<S> Repeat<S> {
    /// The call with its arguments read anew, unless it was made often enough.
    pub(super) fn again(&self, attempts: u32) -> Option<Theirs<Prepared<S>>> {
        if attempts > self.retries {
            return None;
        }
        quiet(|| self.reads.read(&self.arguments).ok()).flatten().map(|(_, call)| Theirs::new(call))
    }
}

/// All that a call needs beside its own text.
///
/// Rights, keys and tenant come from here, never from the model.
#[derive(Clone)]
#[non_exhaustive]
pub struct Dispatch<'a, S = ()> {
    /// On whose behalf.
    pub caller: &'a Arc<SecurityContext>,
    /// What tools may borrow.
    pub state: &'a Arc<S>,
    /// Who keeps the claims.
    pub store: &'a Arc<dyn IdempotencyStore>,
    /// The run. Two calls with the same arguments under one run id are one effect.
    pub run_id: &'a Arc<str>,
    /// Where the call stands in the run.
    pub position: Position,
    /// When the call is of no more use.
    pub deadline: Option<Instant>,
    /// Ends the call early.
    pub cancel: CancellationToken,
    /// Time limits of one call.
    pub limits: CallLimits,
    /// Whether a person has approved the call, for a tool that asks for that.
    pub approved: bool,
    pub(crate) progress: Option<ProgressSink>,
    /// The run's audit, where there is a run.
    pub(crate) audit: Option<Arc<RunAudit>>,
}

/// The time limits of one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallLimits {
    /// How long a tool may take.
    pub tool_timeout: Duration,
    /// A mutating call is not started with less time left.
    pub min_effect_time: Duration,
    /// How long the store is tried again to record how a mutating call ended.
    pub grace: Duration,
    /// How long a claim holds without being renewed. Less than 100 ms counts as 100 ms.
    pub lease: Duration,
}

impl Default for CallLimits {
    fn default() -> Self {
        Limits::default().call_limits()
    }
}

impl<'a, S> Dispatch<'a, S> {
    /// A call on behalf of `caller`, first in the run, without a deadline.
    pub fn new(
        caller: &'a Arc<SecurityContext>,
        state: &'a Arc<S>,
        store: &'a Arc<dyn IdempotencyStore>,
        run_id: &'a Arc<str>,
    ) -> Self {
        Self {
            caller,
            state,
            store,
            run_id,
            position: Position::default(),
            deadline: None,
            cancel: CancellationToken::new(),
            limits: CallLimits::default(),
            approved: false,
            progress: None,
            audit: None,
        }
    }

    /// At this place in the run.
    #[must_use]
    pub fn position(mut self, turn: u32, index: u32) -> Self {
        self.position = Position { turn, index };
        self
    }

    /// Until this moment.
    #[must_use]
    pub fn deadline(mut self, deadline: Option<Instant>) -> Self {
        self.deadline = deadline;
        self
    }

    /// Until this token is cancelled.
    #[must_use]
    pub fn cancel(mut self, cancel: CancellationToken) -> Self {
        self.cancel = cancel;
        self
    }

    /// With these limits.
    #[must_use]
    pub fn limits(mut self, limits: CallLimits) -> Self {
        self.limits = limits;
        self
    }

    /// A person has approved the call.
    #[must_use]
    pub fn approved(mut self) -> Self {
        self.approved = true;
        self
    }

    /// When a call of this tool must be over: its own time, and never beyond the run's.
    pub(super) fn until(&self, facts: &ToolFacts, now: Instant) -> Instant {
        let own = after(now, facts.timeout.unwrap_or(self.limits.tool_timeout));
        self.deadline.map_or(own, |deadline| deadline.min(own))
    }
}

/// `start + time`, or a moment far away where that cannot be said.
pub(crate) fn after(start: Instant, time: Duration) -> Instant {
    const FAR: Duration = Duration::from_secs(30 * 365 * 24 * 60 * 60);
    start.checked_add(time).unwrap_or_else(|| start + FAR)
}

impl<S: Send + Sync + 'static> Toolbox<S> {
    pub(crate) fn new(
        tools: Vec<Entry<S>>,
        definitions: Vec<ToolDefinition>,
        authorizer: Option<Arc<dyn Authorizer>>,
        auditor: Option<Arc<Auditor>>,
        content: Option<SharedRedact>,
    ) -> Self {
        let by_name = tools.iter().enumerate().map(|(index, tool)| (tool.facts.name.clone(), index)).collect();
        Self { tools, by_name, definitions, authorizer, in_flight: Arc::default(), auditor, content }
    }

    /// Answers one call: exists, caller may, JSON, valid, approved, claimed, run, settled.
    ///
    /// It always gives a result: the checks may take [`CallLimits::tool_timeout`], the tool its own time after them, and
    /// neither goes beyond the deadline. Dropping the returned future ends a read;
    /// a mutating call that has started goes on and settles. A tool's `max_calls` is a limit of runs and
    /// is not counted here.
    pub async fn dispatch(&self, call: &ToolCall, at: &Dispatch<'_, S>) -> ToolResult {
        let started = Instant::now();
        let until = after(started, at.limits.tool_timeout);
        let until = at.deadline.map_or(until, |deadline| deadline.min(until));
        let checked = unless(gates::check(self, call, at.caller), || stop(until, &at.cancel)).await;
        let result = match checked {
            Ok(Ok(passed)) => return self.run(passed, call, at, at.position, started).await.0,
            Ok(Err(result)) => {
                if let Some(audit) = self.audit(at) {
                    tokio::select! {
                        biased;
                        () = audit.refused(at.limits.grace, call, self.is_mutating(&call.name), &result) => {}
                        () = at.cancel.cancelled() => {}
                    }
                }
                self.trace_refused(call, &result);
                *result
            }
            Err(Stop::Late) => {
                let why = "its checks did not end in time.";
                held_back(call, code::NOT_RUN, why, "Tell the person.")
            }
            Err(Stop::Cancelled) => cancelled(call),
        };
        result.with_latency(started.elapsed())
    }

    /// Asks the gates that need nothing but the call and its caller: whether the tool exists, the caller may, the arguments
    /// are JSON and valid. It takes as long as the authorizer does: whoever asks bounds it.
    ///
    /// With [`execute`](Self::execute) it is what a driver of its own needs for a [`Run`](crate::run::Run), since a run
    /// asks for all calls of a turn before any of them runs.
    pub async fn check(&self, call: &ToolCall, caller: &SecurityContext) -> Verdict<S> {
        match gates::check(self, call, caller).await {
            Ok(passed) => Verdict::Ready(Admitted { passed, call: call.clone(), by: self.in_flight().clone() }),
            Err(result) => Verdict::Refused(*result),
        }
    }

    /// The same for a caller that keeps the call itself, and makes it here.
    pub(crate) async fn gate(&self, call: &ToolCall, caller: &SecurityContext) -> Gated<S> {
        gates::check(self, call, caller).await
    }

    /// Runs a call that has passed its gates: claimed, run, settled. A tool that asks for approval runs only where the
    /// dispatch says that it has it, and one that another toolbox has checked does not run.
    ///
    /// It always gives a result, within the tool's time, and may be dropped as [`dispatch`](Self::dispatch) may.
    pub async fn execute(&self, admitted: Admitted<S>, at: &Dispatch<'_, S>) -> ToolResult {
        let Admitted { passed, call, by } = admitted;
        if !Arc::ptr_eq(&by, &self.in_flight) {
            return held_back(&call, code::NOT_RUN, "another toolbox has checked it.", "Tell the person.");
        }
        self.run(passed, &call, at, at.position, Instant::now()).await.0
    }

    /// Runs a call of this toolbox that has passed its gates, at this place of the run. Gives the result, and when it was
    /// there; its latency counts from `started`.
    pub(crate) async fn run(
        &self,
        passed: Passed<S>,
        call: &ToolCall,
        at: &Dispatch<'_, S>,
        position: Position,
        started: Instant,
    ) -> (ToolResult, Instant) {
        let span = spans::execute_tool(call);
        let (result, ended) = self.run_traced(passed, call, at, position, started).instrument(span.clone()).await;
        let result = result.with_latency(ended.saturating_duration_since(started));
        spans::executed(&span, call, &result, self.content());
        (result, ended)
    }

    async fn run_traced(
        &self,
        passed: Passed<S>,
        call: &ToolCall,
        at: &Dispatch<'_, S>,
        position: Position,
        started: Instant,
    ) -> (ToolResult, Instant) {
        if self.tools[passed.tool].facts.approval && !at.approved {
            let why = "a person must approve it, and nobody has.";
            return (held_back(call, code::NOT_RUN, why, "Tell the person."), started);
        }
        match self.tools[passed.tool].facts.effect {
            Effect::Read => {
                let (result, ended) = read::run(self, passed, call, at, started).await;
                match self.audit(at) {
                    None => (result, ended),
                    Some(audit) => {
                        audit_read(&audit, call, &result, at).await;
                        (result, Instant::now())
                    }
                }
            }
            Effect::Mutating { duplicates, keyed, .. } => {
                let kind = effect::Kind { duplicates, keyed };
                // Boxed: it is large, and most calls are reads.
                Box::pin(effect::run(self, passed, call, at, position, kind)).await
            }
        }
    }

    /// The audit of the call's run, or of the call alone.
    pub(super) fn audit(&self, at: &Dispatch<'_, S>) -> Option<Arc<RunAudit>> {
        at.audit.clone().or_else(|| self.run_audit(at.caller, at.run_id))
    }

    /// The audit of a run, where the agent has one.
    pub(crate) fn run_audit(&self, caller: &Arc<SecurityContext>, run_id: &Arc<str>) -> Option<Arc<RunAudit>> {
        let auditor = self.auditor.clone()?;
        Some(Arc::new(RunAudit::new(auditor, caller.clone(), run_id.clone())))
    }

    /// What spans may say of content.
    pub(crate) fn content(&self) -> Option<&dyn Redact> {
        self.content.as_deref()
    }

    /// The span of a call that a gate refused.
    pub(crate) fn trace_refused(&self, call: &ToolCall, result: &ToolResult) {
        spans::refused(call, result, self.content());
    }

    pub(crate) fn is_mutating(&self, tool: &str) -> bool {
        self.spec(tool).is_some_and(|facts| facts.effect.is_mutating())
    }

    /// The tools' names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.tools.iter().map(|tool| tool.facts.name.as_ref())
    }

    /// What is known of a tool.
    pub fn spec(&self, name: &str) -> Option<&ToolFacts> {
        self.find(name).map(|index| &self.tools[index].facts)
    }

    /// The full JSON Schema of a tool's arguments, with every constraint that they are held to.
    pub fn full_schema(&self, name: &str) -> Option<String> {
        self.find(name).map(|index| self.tools[index].schema.full())
    }

    /// The tools as models are told of them.
    pub fn definitions(&self) -> &[ToolDefinition] {
        &self.definitions
    }

    /// Waits until no mutating call is running, for at most this long, and says which still are.
    pub async fn drain(&self, at_most: Duration) -> Vec<CallId> {
        self.in_flight.drain(at_most).await
    }

    pub(crate) fn tools(&self) -> &[Entry<S>] {
        &self.tools
    }

    /// What the authorizer says; one that panics permits nothing.
    pub(crate) async fn authorize(&self, caller: &SecurityContext, asked: &Access<'_>) -> Result<(), Denied> {
        let Some(authorizer) = &self.authorizer else { return by_roles(caller, asked) };
        let said = awaited(|| authorizer.authorize(caller, asked)).await;
        said.unwrap_or_else(|| Err(Denied::new("the authorizer panicked")))
    }

    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    pub(super) fn in_flight(&self) -> &Arc<InFlight> {
        &self.in_flight
    }
}

/// Tells the audit of a read that has ended.
async fn audit_read<S>(audit: &RunAudit, call: &ToolCall, result: &ToolResult, at: &Dispatch<'_, S>) {
    let code = result.code().map(str::to_owned);
    let event = AuditEvent::Executed { status: result.status(), code, attempts: result.metadata().attempts };
    tokio::select! {
        biased;
        () = audit.tell_after(at.limits.grace, Some(AuditCall::of(call, false)), event) => {}
        () = at.cancel.cancelled() => {}
    }
}

impl<S> fmt::Debug for Toolbox<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.tools.iter().map(|tool| &tool.facts.name)).finish()
    }
}

impl<S> fmt::Debug for Dispatch<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dispatch")
            .field("caller", &self.caller)
            .field("run_id", &self.run_id)
            .field("position", &self.position)
            .field("deadline", &self.deadline)
            .finish_non_exhaustive()
    }
}
