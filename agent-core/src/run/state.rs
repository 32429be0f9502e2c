//! The state of a run, and its transitions.

mod answers;
mod budget;
mod calls;
mod decisions;
mod ends;
mod replies;
mod room;
mod saved;

use std::collections::BTreeSet;
use std::mem::discriminant;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use self::answers::Offered;
use self::room::Context;
use self::saved::{known_version, tools_of};
use super::approval::Pending;
use super::batch::{Batch, SlotState};
use super::breaker::Breaker;
use super::end::RunErrorKind;
use super::event::{Event, EventSink, tell};
use super::history::repair;
use super::input::{Input, Purpose, Step};
use super::plan::Plan;
use super::record::{Record, StepRecord};
use crate::arguments::Digest;
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
        if batch.asks_people() {
            let undecided = self.pending_in(batch, |state| *state == SlotState::Undecided);
            if !undecided.is_empty() {
                return Step::AskApproval { pending: undecided };
            }
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
            for (call, slot) in calls.iter_mut().zip(batch.slots()) {
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
            Phase::Tools(batch) => batch.slots().get(index).is_some_and(|slot| slot.state == SlotState::Ready),
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
                batch.slots().get(index)?.admitted?;
                let call = calls.get(index)?;
                Some(Pending::new(self, call))
            })
            .collect()
    }

    /// What has happened so far.
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// What has happened.
    pub fn into_record(self) -> Record {
        self.record
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
