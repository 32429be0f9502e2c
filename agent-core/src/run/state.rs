//! The state of a run, and its transitions.

mod answers;
mod budget;
mod calls;
mod decisions;
mod replies;
mod room;

use std::collections::BTreeSet;
use std::mem::discriminant;
use std::time::Duration;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use self::answers::Offered;
use self::room::Context;
use super::approval::Pending;
use super::batch::{Batch, SlotState};
use super::breaker::Breaker;
use super::end::RunErrorKind;
use super::event::{Event, EventSink, tell};
use super::history::repair;
use super::input::{Input, Purpose, Step};
use super::plan::{OnDenied, Plan};
use super::record::{Record, StepRecord};
use crate::arguments::Digest;
use crate::dispatch::code;
use crate::model::{Body, CallId, Message, ToolCall, Usage};

/// A run: what has happened so far, and so what comes next.
///
/// One that was saved is read again only where it is whole: damage is an error of the reader, which names it.
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
// The derived form is that of what is read below, before it is known to be whole.
#[serde(remote = "Self")]
pub struct Run {
    #[serde(deserialize_with = "known_version")]
    version: u32,
    user: String,
    tenant: String,
    record: Record,
    phase: Phase,
    /// What was wrong with the history, until somebody was told.
    damage: Vec<String>,
    /// The tools that the run began with: their names, and what changes when they do.
    tools: Vec<(String, Option<Digest>)>,
    /// The conversation as it is sent, once older parts of it made room.
    context: Option<Context>,
    /// The place of the person's prompt in the conversation.
    prompt_at: usize,
    /// What tells this request from another under the same id, for a store of runs.
    prompt_digest: Option<Digest>,
    /// Calls that have passed their gates and run or will run.
    tool_calls: u32,
    /// Calls of each tool of the plan, for those with a limit of their own.
    calls_by_tool: Vec<u32>,
    extra_calls: u32,
    /// Turns with calls.
    batches: u32,
    /// The model was asked again after an empty reply.
    asked_again: bool,
    /// The model was told to give its answer by the finish tool.
    sent_back: bool,
    /// A conversation that was too long for the model was cut, and the model asked again.
    overflowed: bool,
    breaker: Breaker,
    /// Why the run ends once the calls of the turn have their results.
    halt: Option<RunErrorKind>,
    ids: BTreeSet<CallId>,
    /// The tools that the present turn was offered, where they were not all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    offered: Option<Vec<String>>,
    /// The finish tool's name, where the run must end with a typed answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    finish: Option<String>,
    /// The size of the conversation as it is sent, in quarters of a token.
    size: u64,
    /// Tokens of the conversation as the server counted them, and its size then.
    measured: Option<(u64, u64)>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum Phase {
    Begin,
    Model(Purpose),
    Check(Batch),
    Tools(Batch),
    Answer(Offered),
    Ended(End),
}

impl Phase {
    /// Whether the calls of both stand alike.
    fn is_at(&self, other: &Self) -> bool {
        discriminant(self) == discriminant(other)
            && match (self, other) {
                (Self::Check(a) | Self::Tools(a), Self::Check(b) | Self::Tools(b)) => a.is_at(b),
                _ => true,
            }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum End {
    Answered { text: String, value: Option<String> },
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
    /// The conversation so far. A damaged one is mended as [`repair`] does it.
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
        let (history, damage) = repair(start.history);
        let mut run = Self {
            version: Self::VERSION,
            user: start.user,
            tenant: start.tenant,
            record: Record { run_id: start.id, ..Record::default() },
            phase: Phase::Begin,
            damage,
            tools: Vec::new(),
            context: None,
            prompt_at: history.len(),
            prompt_digest: None,
            tool_calls: 0,
            calls_by_tool: Vec::new(),
            extra_calls: 0,
            batches: 0,
            asked_again: false,
            sent_back: false,
            overflowed: false,
            breaker: Breaker::default(),
            halt: None,
            ids: BTreeSet::new(),
            offered: None,
            finish: None,
            size: 0,
            measured: None,
        };
        for message in history {
            run.keep(message);
        }
        run.keep(start.prompt);
        run
    }

    /// What is to be done next.
    pub fn next(&self, plan: &Plan) -> Step {
        match &self.phase {
            Phase::Begin => Step::CallModel { purpose: Purpose::Turn },
            Phase::Model(purpose) => Step::CallModel { purpose: *purpose },
            Phase::Check(_) => Step::CheckCalls,
            Phase::Tools(batch) => self.next_calls(plan, batch),
            Phase::Answer(_) => Step::CheckAnswer,
            Phase::Ended(_) => Step::Done,
        }
    }

    fn next_calls(&self, plan: &Plan, batch: &Batch) -> Step {
        let undecided = self.pending_in(batch, |state| *state == SlotState::Undecided);
        if !undecided.is_empty() {
            return Step::AskApproval { pending: undecided };
        }
        let most = usize::try_from(plan.limits.max_parallel_calls).unwrap_or(usize::MAX);
        let start = batch.startable(most);
        if start.is_empty() && !batch.is_running() {
            let pending = self.pending_in(batch, |state| *state == SlotState::Pending);
            // With nobody to wait for, the turn was damaged: nothing of it will ever move.
            return if pending.is_empty() { Step::Done } else { Step::Suspended { pending } };
        }
        Step::CallTools { start }
    }

    /// Takes a report. One that does not fit the current step changes nothing.
    pub fn apply(&mut self, plan: &Plan, input: Input, sink: &mut impl EventSink) {
        if matches!(self.phase, Phase::Ended(_)) {
            return;
        }
        if matches!(self.phase, Phase::Begin) {
            self.begin(plan, sink);
        }
        match input {
            Input::Clock(elapsed) => self.clock(plan, elapsed, sink),
            Input::Offered(tools) => self.offered(tools),
            Input::Reply(reply, latency) => self.reply(plan, *reply, latency, sink),
            Input::ModelFailed(failure) => self.model_failed(plan, failure, sink),
            Input::Checked(checked) => self.checked(plan, checked, sink),
            Input::Decided { call_id, by, decided } => self.decided(plan, &call_id, by, decided, sink),
            Input::ToolStarted(index) => self.tool_started(index, sink),
            Input::ToolDone(index, result) => self.tool_done(plan, index, result, sink),
            Input::AnswerChecked(taken) => self.answer_checked(plan, taken, sink),
            Input::Suspended => {
                if let Step::Suspended { pending } = self.next(plan) {
                    tell(sink, || Event::Suspended { pending });
                }
            }
            Input::Cancel(reason) => self.interrupt(plan, RunErrorKind::Cancelled { reason }, sink),
            Input::NotSaved(what) => self.interrupt(plan, RunErrorKind::NotSaved { what }, sink),
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

    /// The whole conversation so far. Every call in it has its result, but for the turn that is being worked on.
    pub fn messages(&self) -> &[Message] {
        &self.record.messages
    }

    /// Turns of the model so far.
    pub fn cycle(&self) -> u32 {
        self.record.cycles
    }

    /// Turns with calls so far, the present one included. With a call's place in its turn, it says where
    /// the call stands in the run.
    pub fn turns_with_calls(&self) -> u32 {
        self.batches
    }

    /// The calls of the turn that is being worked on, or of the last, as the model asked for them.
    pub fn calls(&self) -> &[ToolCall] {
        let assistant = self.record.messages.iter().rev().find_map(|message| match message.body() {
            Body::Assistant { calls, .. } if !calls.is_empty() => Some(calls),
            _ => None,
        });
        assistant.map_or(&[], Vec::as_slice)
    }

    /// The calls of the turn that is being worked on as they run: with the arguments that people gave them.
    pub fn effective_calls(&self) -> Vec<ToolCall> {
        let mut calls = self.calls().to_vec();
        if let Phase::Check(batch) | Phase::Tools(batch) = &self.phase {
            for (call, slot) in calls.iter_mut().zip(&batch.slots) {
                if let Some(edited) = &slot.edited {
                    call.arguments.clone_from(edited);
                }
            }
        }
        calls
    }

    /// The tools that the model was offered in the present turn, where they were not all; the finish tool is not among them.
    pub fn offered_tools(&self) -> Option<&[String]> {
        self.offered.as_deref()
    }

    fn offered(&mut self, tools: Option<Vec<String>>) {
        if matches!(self.phase, Phase::Model(_)) {
            self.offered = tools;
        }
    }

    /// Whether the call at this place may start, as far as the gates have said.
    pub(crate) fn is_ready(&self, index: usize) -> bool {
        match &self.phase {
            Phase::Tools(batch) => batch.slots.get(index).is_some_and(|slot| slot.state == SlotState::Ready),
            _ => false,
        }
    }

    /// The calls that wait for people.
    pub fn pending(&self) -> Vec<Pending> {
        match &self.phase {
            Phase::Tools(batch) => {
                self.pending_in(batch, |state| matches!(state, SlotState::Undecided | SlotState::Pending))
            }
            _ => Vec::new(),
        }
    }

    fn pending_in(&self, batch: &Batch, which: impl Fn(&SlotState) -> bool) -> Vec<Pending> {
        let calls = self.calls();
        let wanted = batch.indexes(which);
        wanted
            .into_iter()
            .filter_map(|index| {
                batch.slots.get(index)?.admitted?;
                let call = calls.get(index)?;
                Some(Pending::new(self, call))
            })
            .collect()
    }

    /// Whether the run has ended, or will once its calls have, in a way that leaves it open under its id.
    pub(crate) fn is_left_open(&self) -> bool {
        let kind = match &self.phase {
            Phase::Ended(End::Answered { .. }) => None,
            Phase::Ended(End::Failed { kind, .. }) => Some(kind),
            _ => self.halt.as_ref(),
        };
        kind.is_some_and(RunErrorKind::is_left_open)
    }

    pub(crate) fn prompt_digest(&self) -> Option<Digest> {
        self.prompt_digest
    }

    pub(crate) fn set_prompt_digest(&mut self, digest: Digest) {
        self.prompt_digest = Some(digest);
    }

    /// Whether the other is a copy of this run at the same step.
    ///
    /// Every step adds to the record, or moves a call of the turn. Texts are not compared but for what people decide on: time
    /// passes where nothing happens, and whoever keeps a copy may write its JSON otherwise.
    pub(crate) fn is_at_the_step_of(&self, other: &Self) -> bool {
        let counts = |run: &Self| {
            let Record { cycles, steps, messages, .. } = &run.record;
            (*cycles, steps.len(), messages.len(), run.extra_calls, run.batches)
        };
        counts(self) == counts(other) && self.pending() == other.pending() && self.phase.is_at(&other.phase)
    }

    /// Tells the end of a run that has ended, for whoever asks for it again.
    pub(crate) fn tell_end(&self, sink: &mut impl EventSink) {
        let (text, error) = match &self.phase {
            Phase::Ended(End::Answered { text, .. }) => (Some(text.clone()), None),
            Phase::Ended(End::Failed { kind, text }) => (text.clone(), Some(kind.clone())),
            _ => return,
        };
        tell(sink, || Event::RunFinished { text, error, elapsed: self.record.elapsed });
    }

    /// Begins to drive a run that was saved: whoever ran the calls that were running is gone, and they are to be started
    /// again, mutating ones through their claims.
    pub fn taken_up(&mut self) {
        if let Phase::Tools(batch) = &mut self.phase {
            for slot in batch.slots.iter_mut().filter(|slot| slot.state == SlotState::Running) {
                slot.state = SlotState::Ready;
            }
        }
    }

    /// Whether the parts of a run that was read from elsewhere fit together.
    fn check(&self) -> Result<(), String> {
        let calls = self.calls().len();
        let slots = match &self.phase {
            Phase::Check(batch) | Phase::Tools(batch) => Some(batch.slots.len()),
            Phase::Answer(offered) => offered.slots(),
            _ => None,
        };
        if slots.is_some_and(|slots| slots != calls) {
            return Err(format!("its turn has {calls} calls and another number of states"));
        }
        match &self.phase {
            Phase::Check(batch) => batch.check_unchecked()?,
            Phase::Tools(batch) => batch.check_admitted(self.tools.len())?,
            Phase::Answer(offered) => offered.check()?,
            Phase::Begin | Phase::Model(_) | Phase::Ended(_) => {}
        }
        if self.prompt_at >= self.record.messages.len()
            || self.context.as_ref().is_some_and(|context| !context.is_whole())
        {
            return Err("its conversation is cut".to_owned());
        }
        Ok(())
    }

    /// The tools that are not as they were when the run began: changed, gone, or new.
    pub fn changed_tools(&self, plan: &Plan) -> Vec<String> {
        if matches!(self.phase, Phase::Begin) {
            return Vec::new();
        }
        let now = tools_of(plan);
        let gone = self.tools.iter().filter(|tool| !now.contains(tool));
        let new = now.iter().filter(|tool| !self.tools.contains(tool));
        let names: BTreeSet<_> = gone.chain(new).map(|(name, _)| name.clone()).collect();
        names.into_iter().collect()
    }

    /// Whether the run began with a typed answer, which alone is missing.
    pub(crate) fn misses_its_finish_tool(&self, plan: &Plan) -> bool {
        plan.finish.is_none()
            && self.finish.as_ref().is_some_and(|finish| self.changed_tools(plan) == [finish.as_str()])
    }

    /// What has happened so far.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// What has happened.
    pub fn into_record(self) -> Record {
        self.record
    }

    /// The text of the answer, or why there is none; nothing while the run goes on.
    pub fn outcome(&self) -> Option<Result<&str, &RunErrorKind>> {
        match &self.phase {
            Phase::Ended(End::Answered { text, .. }) => Some(Ok(text)),
            Phase::Ended(End::Failed { kind, .. }) => Some(Err(kind)),
            _ => None,
        }
    }

    /// The typed answer as JSON text, of a run that ended with one.
    pub fn value(&self) -> Option<&str> {
        match &self.phase {
            Phase::Ended(End::Answered { value, .. }) => value.as_deref(),
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

    fn begin(&mut self, plan: &Plan, sink: &mut impl EventSink) {
        self.size = budget::sizes(plan, &self.record.messages);
        tell(sink, || Event::RunStarted {
            run_id: self.record.run_id.clone(),
            user: self.user.clone(),
            tenant: self.tenant.clone(),
        });
        let damage = std::mem::take(&mut self.damage);
        if !damage.is_empty() {
            tell(sink, || Event::HistoryRepaired { damage });
        }
        self.finish.clone_from(&plan.finish);
        self.tools = tools_of(plan);
        self.begin_turn(plan, sink);
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
                let (code, why) = match kind {
                    RunErrorKind::Cancelled { .. } => (code::CANCELLED, "the run was cancelled."),
                    RunErrorKind::NotSaved { .. } => (code::NOT_RUN, "the run could not be saved."),
                    _ => (code::NOT_RUN, "the run's time is over."),
                };
                self.halt(kind);
                self.hold_back(code, why, calls::ASK_AGAIN, sink);
                self.close_batch_if_done(plan, sink);
            }
            Phase::Answer(_) => {
                self.halt(kind);
                self.withdraw_answer(plan, sink);
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

    /// The next turn of the model, after room was made where it is needed.
    fn begin_turn(&mut self, plan: &Plan, sink: &mut impl EventSink) {
        self.record.cycles = self.record.cycles.saturating_add(1);
        let cycle = self.record.cycles;
        if plan.notice && cycle.saturating_add(1) == plan.limits.max_cycles {
            self.push(plan, Message::user("(One turn is left after this one. Finish with what you have.)"));
        }
        tell(sink, || Event::CycleStarted { cycle, of: plan.limits.max_cycles });
        self.ask_model(plan, sink);
    }

    /// Asks for an extra reply beyond the turns, if one is left.
    fn take_extra_call(&mut self, plan: &Plan) -> bool {
        let left = self.extra_calls < plan.limits.max_extra_calls;
        self.extra_calls = self.extra_calls.saturating_add(u32::from(left));
        left
    }

    /// Ends the run for the reason that was remembered, by way of a closing turn where the host wants one.
    fn finish_turn(&mut self, plan: &Plan, sink: &mut impl EventSink) {
        let Some(cause) = self.halt.clone() else { return };
        if let RunErrorKind::CircuitOpen(circuit) = &cause {
            tell(sink, || Event::CircuitOpened { circuit: circuit.clone() });
        }
        let wanted = match &cause {
            RunErrorKind::PermissionDenied { .. } => plan.on_denied == OnDenied::Conclude,
            other => other.limit().is_some_and(|limit| plan.concludes(limit)),
        };
        if wanted && self.take_extra_call(plan) {
            tell(sink, || Event::Concluding { cause });
            self.phase = Phase::Model(Purpose::Close);
        } else {
            self.fail(None, sink, cause);
        }
    }

    /// Ends the run without an answer: for the reason that was remembered, else for `otherwise`.
    fn fail(&mut self, text: Option<String>, sink: &mut impl EventSink, otherwise: RunErrorKind) {
        let kind = self.halt.clone().unwrap_or(otherwise);
        let elapsed = self.record.elapsed;
        tell(sink, || Event::RunFinished { text: text.clone(), error: Some(kind.clone()), elapsed });
        self.phase = Phase::Ended(End::Failed { kind, text });
    }

    /// Adds to the conversation as it is sent.
    fn push(&mut self, plan: &Plan, message: Message) {
        self.size = self.size.saturating_add(budget::size(plan, message.body()));
        self.keep(message);
    }

    /// Adds to the conversation, whose size is taken later.
    fn keep(&mut self, message: Message) {
        if let Body::Assistant { calls, .. } = message.body() {
            self.ids.extend(calls.iter().map(|call| call.id.clone()));
        }
        if let Some(context) = &mut self.context {
            context.push(message.clone());
        }
        self.record.messages.push(message);
    }

    fn step(&mut self, step: StepRecord) {
        self.record.steps.push(step);
    }

    fn spend(&mut self, usage: Usage) {
        self.record.usage += usage;
    }
}

impl Serialize for Run {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for Run {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let run = Self::deserialize(deserializer)?;
        match run.check() {
            Ok(()) => Ok(run),
            Err(what) => Err(serde::de::Error::custom(format!("the saved run is damaged: {what}"))),
        }
    }
}

fn tools_of(plan: &Plan) -> Vec<(String, Option<Digest>)> {
    let tools = plan.tools.iter().map(|tool| (tool.name.clone(), tool.fingerprint));
    tools.chain(plan.finish.iter().map(|name| (name.clone(), plan.finish_fingerprint))).collect()
}

/// Which of two reasons a run ends for: what an operator must know first, then what stopped it from outside.
fn gravity(kind: &RunErrorKind) -> u8 {
    match kind {
        RunErrorKind::OutcomeUnknown { .. } => 7,
        RunErrorKind::NotSaved { .. } => 6,
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
