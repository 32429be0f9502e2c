//! The state of a run, and its transitions.

mod budget;
mod calls;
mod replies;

use std::collections::BTreeSet;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize};

use super::batch::Batch;
use super::breaker::Breaker;
use super::end::RunErrorKind;
use super::event::{Event, EventSink};
use super::input::{Input, Purpose, Step};
use super::plan::{OnDenied, Plan};
use super::record::{Record, StepRecord};
use crate::dispatch::code;
use crate::model::{Body, CallId, Message, ToolCall, Usage};

/// A run: what has happened so far, and so what comes next.
///
/// ```
/// use std::time::Duration;
/// use agent_core::model::Reply;
/// use agent_core::run::{Input, Plan, Run, RunStart, Step, Purpose};
/// use agent_core::Limits;
///
/// let plan = Plan::new(vec![], Limits::default());
/// let mut run = Run::new(RunStart::new("order-4711", "Hello"));
/// assert_eq!(run.next(&plan), Step::CallModel { purpose: Purpose::Turn });
/// run.apply(&plan, Input::Reply(Box::new(Reply::text("Hi.")), Duration::ZERO), &mut ());
/// assert_eq!(run.next(&plan), Step::Done);
/// assert_eq!(run.outcome().unwrap().unwrap(), "Hi.");
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    #[serde(deserialize_with = "known_version")]
    version: u32,
    user: String,
    tenant: String,
    record: Record,
    phase: Phase,
    /// Calls that have passed their gates and run or will run.
    tool_calls: u32,
    /// Calls of each tool of the plan, for those with a limit of their own.
    calls_by_tool: Vec<u32>,
    extra_calls: u32,
    /// The model was asked again after an empty reply.
    asked_again: bool,
    breaker: Breaker,
    /// Why the run ends once the calls of the turn have their results.
    halt: Option<RunErrorKind>,
    ids: BTreeSet<CallId>,
    /// Bytes of all messages, for estimates.
    bytes: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Phase {
    Begin,
    Model(Purpose),
    Check(Batch),
    Tools(Batch),
    Ended(End),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum End {
    Answered { text: String },
    Failed { kind: RunErrorKind, text: Option<String> },
}

/// What a run begins with.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct RunStart {
    /// The run's id.
    pub id: String,
    /// The user on whose behalf it acts.
    pub user: String,
    /// The user's tenant.
    pub tenant: String,
    /// The conversation so far.
    pub history: Vec<Message>,
    /// What the person asks.
    pub prompt: Message,
}

impl RunStart {
    /// A run with this id and prompt, for nobody, without history.
    pub fn new(id: impl Into<String>, prompt: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            user: String::new(),
            tenant: String::new(),
            history: Vec::new(),
            prompt: Message::user(prompt),
        }
    }
}

impl Run {
    /// The version of the saved form. A run saved with another version is refused when it is read.
    pub const VERSION: u32 = 1;

    /// A run that has not begun.
    pub fn new(start: RunStart) -> Self {
        let mut run = Self {
            version: Self::VERSION,
            user: start.user,
            tenant: start.tenant,
            record: Record { run_id: start.id, ..Record::default() },
            phase: Phase::Begin,
            tool_calls: 0,
            calls_by_tool: Vec::new(),
            extra_calls: 0,
            asked_again: false,
            breaker: Breaker::default(),
            halt: None,
            ids: BTreeSet::new(),
            bytes: 0,
        };
        for message in start.history {
            run.push(message);
        }
        run.push(start.prompt);
        run
    }

    /// What is to be done next.
    pub fn next(&self, plan: &Plan) -> Step {
        match &self.phase {
            Phase::Begin => Step::CallModel { purpose: Purpose::Turn },
            Phase::Model(purpose) => Step::CallModel { purpose: *purpose },
            Phase::Check(_) => Step::CheckCalls,
            Phase::Tools(batch) => {
                let most = usize::try_from(plan.limits.max_parallel_calls).unwrap_or(usize::MAX);
                Step::CallTools { start: batch.startable(most) }
            }
            Phase::Ended(_) => Step::Done,
        }
    }

    /// Takes a report. One that does not fit the current step changes nothing.
    pub fn apply(&mut self, plan: &Plan, input: Input, sink: &mut impl EventSink) {
        if matches!(self.phase, Phase::Ended(_)) {
            return;
        }
        if matches!(self.phase, Phase::Begin) {
            let (run_id, user, tenant) = (&*self.record.run_id, &*self.user, &*self.tenant);
            sink.event(&Event::RunStarted { run_id, user, tenant });
            self.begin_turn(plan, sink);
        }
        match input {
            Input::Clock(elapsed) => self.clock(plan, elapsed, sink),
            Input::Reply(reply, latency) => self.reply(plan, *reply, latency, sink),
            Input::ModelFailed(failure) => self.model_failed(failure, sink),
            Input::Checked(checked) => self.checked(plan, checked, sink),
            Input::ToolStarted(index) => self.tool_started(index, sink),
            Input::ToolDone(index, result) => self.tool_done(plan, index, result, sink),
            Input::Cancel(reason) => self.interrupt(plan, RunErrorKind::Cancelled { reason }, sink),
        }
    }

    /// The run's id.
    pub fn id(&self) -> &str {
        &self.record.run_id
    }

    /// The user on whose behalf it acts.
    pub fn user(&self) -> &str {
        &self.user
    }

    /// The user's tenant.
    pub fn tenant(&self) -> &str {
        &self.tenant
    }

    /// The conversation so far. Every call in it has its result, but for the turn that is being worked on.
    pub fn messages(&self) -> &[Message] {
        &self.record.messages
    }

    /// Turns of the model so far.
    pub fn cycle(&self) -> u32 {
        self.record.cycles
    }

    /// The calls of the turn that is being worked on, or of the last.
    pub fn calls(&self) -> &[ToolCall] {
        let assistant = self.record.messages.iter().rev().find_map(|message| match message.body() {
            Body::Assistant { calls, .. } => Some(calls),
            _ => None,
        });
        assistant.map_or(&[], Vec::as_slice)
    }

    /// What has happened so far.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// What has happened.
    pub fn into_record(self) -> Record {
        self.record
    }

    /// The answer, or why there is none; nothing while the run goes on.
    pub fn outcome(&self) -> Option<Result<&str, &RunErrorKind>> {
        match &self.phase {
            Phase::Ended(End::Answered { text }) => Some(Ok(text)),
            Phase::Ended(End::Failed { kind, .. }) => Some(Err(kind)),
            _ => None,
        }
    }

    /// The closing words of a run that ended at a boundary.
    pub fn closing_text(&self) -> Option<&str> {
        match &self.phase {
            Phase::Ended(End::Failed { text, .. }) => text.as_deref(),
            _ => None,
        }
    }

    fn clock(&mut self, plan: &Plan, elapsed: Duration, sink: &mut impl EventSink) {
        self.record.elapsed = self.record.elapsed.max(elapsed);
        if elapsed >= plan.limits.timeout {
            self.interrupt(plan, RunErrorKind::Timeout { limit: plan.limits.timeout }, sink);
        }
    }

    /// Ends the run now, or when the calls that are running have ended.
    fn interrupt(&mut self, plan: &Plan, kind: RunErrorKind, sink: &mut impl EventSink) {
        match &self.phase {
            // The boundary that is being closed stands; only its closing words are lost.
            Phase::Model(Purpose::Close) => self.fail(None, sink, kind),
            Phase::Begin | Phase::Model(_) => {
                self.halt(kind);
                self.finish_turn(plan, sink);
            }
            Phase::Check(_) | Phase::Tools(_) => {
                let cancelled = matches!(kind, RunErrorKind::Cancelled { .. });
                self.halt(kind);
                if cancelled {
                    self.hold_back(code::CANCELLED, "The run was cancelled before the call ran.", sink);
                } else {
                    self.hold_back(code::NOT_RUN, "The call was not run: the run's time is over.", sink);
                }
                self.close_batch_if_done(plan, sink);
            }
            Phase::Ended(_) => {}
        }
    }

    /// Remembers why the run ends; the graver reason stays.
    fn halt(&mut self, kind: RunErrorKind) {
        if self.halt.as_ref().is_none_or(|held| gravity(&kind) > gravity(held)) {
            self.halt = Some(kind);
        }
    }

    fn begin_turn(&mut self, plan: &Plan, sink: &mut impl EventSink) {
        self.record.cycles += 1;
        self.phase = Phase::Model(Purpose::Turn);
        sink.event(&Event::CycleStarted { cycle: self.record.cycles, of: plan.limits.max_cycles });
    }

    /// Ends the run for the reason that was remembered, by way of a closing turn where the host wants one.
    fn finish_turn(&mut self, plan: &Plan, sink: &mut impl EventSink) {
        let Some(cause) = &self.halt else { return };
        if let RunErrorKind::CircuitOpen(circuit) = cause {
            sink.event(&Event::CircuitOpened { circuit });
        }
        let wanted = match cause {
            RunErrorKind::PermissionDenied { .. } => plan.on_denied == OnDenied::Conclude,
            other => other.limit().is_some_and(|limit| plan.concludes(limit)),
        };
        if wanted && self.extra_calls < plan.limits.max_extra_calls {
            self.extra_calls += 1;
            sink.event(&Event::Concluding { cause });
            self.phase = Phase::Model(Purpose::Close);
        } else if let Some(cause) = self.halt.clone() {
            self.fail(None, sink, cause);
        }
    }

    /// Ends the run without an answer: for the reason that was remembered, else for `otherwise`.
    fn fail(&mut self, text: Option<String>, sink: &mut impl EventSink, otherwise: RunErrorKind) {
        let kind = self.halt.clone().unwrap_or(otherwise);
        sink.event(&Event::RunFinished { text: text.as_deref(), error: Some(&kind), elapsed: self.record.elapsed });
        self.phase = Phase::Ended(End::Failed { kind, text });
    }

    fn answer(&mut self, text: String, sink: &mut impl EventSink) {
        sink.event(&Event::RunFinished { text: Some(&text), error: None, elapsed: self.record.elapsed });
        self.phase = Phase::Ended(End::Answered { text });
    }

    fn push(&mut self, message: Message) {
        if let Body::Assistant { calls, .. } = message.body() {
            self.ids.extend(calls.iter().map(|call| call.id.clone()));
        }
        self.bytes = self.bytes.saturating_add(budget::bytes(message.body()));
        self.record.messages.push(message);
    }

    fn step(&mut self, step: StepRecord) {
        self.record.steps.push(step);
    }

    fn spend(&mut self, usage: Usage) {
        self.record.usage += usage;
    }
}

/// Which of two reasons a run ends for: what an operator must know first, then what stopped it from outside.
fn gravity(kind: &RunErrorKind) -> u8 {
    match kind {
        RunErrorKind::OutcomeUnknown { .. } => 6,
        RunErrorKind::KeyConflict { .. } => 5,
        RunErrorKind::Cancelled { .. } => 4,
        RunErrorKind::Timeout { .. } => 3,
        RunErrorKind::PermissionDenied { .. } => 2,
        RunErrorKind::MaxToolCalls { .. } => 1,
        _ => 0,
    }
}

fn known_version<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    let version = u32::deserialize(deserializer)?;
    if version == Run::VERSION {
        Ok(version)
    } else {
        let known = Run::VERSION;
        Err(serde::de::Error::custom(format!("the run was saved in version {version}; this build reads {known}")))
    }
}
