//! What the calls of a turn do to a run.

use std::time::Duration;

use super::{Phase, Run};
use crate::dispatch::{Status, ToolResult, code, held_back};
use crate::model::Message;
use crate::run::batch::{Batch, Checked, SlotState};
use crate::run::end::RunErrorKind;
use crate::run::event::{Event, EventSink, tell};
use crate::run::plan::{OnDenied, Plan};
use crate::run::record::{StepRecord, ToolStep};

/// What a model should do about a call that something else held back.
pub(super) const ASK_AGAIN: &str = "Make it again only when the person asks again.";

impl Run {
    /// Takes the gates' answers, then asks the gates that are the run's own: denied calls, then limits.
    pub(super) fn checked(&mut self, plan: &Plan, checked: Vec<Checked>, sink: &mut impl EventSink) {
        let Phase::Check(batch) = &mut self.phase else { return };
        if checked.len() != batch.slots().len() {
            return;
        }
        let mut refused = Vec::new();
        for (index, checked) in checked.into_iter().enumerate() {
            match checked {
                Checked::Ready { tool, digest } => {
                    let mutating = plan.tools.get(tool).is_none_or(|tool| tool.mutating);
                    batch.admit(index, tool, digest, mutating);
                }
                Checked::Finish { value } => batch.set(index, SlotState::Finish(value)),
                Checked::Refused(result) => refused.push((index, result)),
            }
        }
        self.phase = Phase::Tools(std::mem::take(batch));
        let denied = refused.iter().find(|(_, result)| result.is(Status::PermissionDenied, code::UNAUTHORIZED));
        let denied = denied.map(|(_, result)| result.metadata().tool_name.clone());
        for (index, result) in refused {
            self.settle(index, result, sink);
        }
        match denied {
            Some(tool) if plan.on_denied != OnDenied::Continue => {
                self.halt(RunErrorKind::PermissionDenied { tool });
                self.hold_back(code::NOT_RUN, "another call of the turn was not allowed.", ASK_AGAIN, sink);
            }
            _ => {
                self.limit_calls(plan, sink);
                self.hold_for_approval(plan);
            }
        }
        self.close_batch_if_done(plan, sink);
    }

    /// Holds back the calls over a limit, before any of the turn runs.
    fn limit_calls(&mut self, plan: &Plan, sink: &mut impl EventSink) {
        let Phase::Tools(batch) = &self.phase else { return };
        let limits = &plan.limits;
        let ready = batch.waiting();
        self.calls_by_tool.resize(plan.tools.len(), 0);
        let mut in_turn = 0;
        let (mut over, mut over_run) = (Vec::new(), 0_u32);
        for index in ready {
            let Phase::Tools(batch) = &self.phase else { return };
            let tool = batch.slots()[index].admitted.map_or(usize::MAX, |(tool, _)| tool);
            let of_tool = self.calls_by_tool.get(tool).copied().unwrap_or_default();
            let own_limit = plan.tools.get(tool).and_then(|tool| tool.max_calls);
            if in_turn >= limits.max_tool_calls_per_turn {
                let limit = limits.max_tool_calls_per_turn;
                over.push((index, (format!("a turn may make {limit} calls."), "Make the others in the next turn.")));
            } else if self.tool_calls >= limits.max_tool_calls {
                let limit = limits.max_tool_calls;
                over_run = over_run.saturating_add(1);
                over.push((index, (format!("a run may make {limit} calls."), "Answer with what you have.")));
            } else if let Some(limit) = own_limit.filter(|limit| of_tool >= *limit) {
                over.push((index, (format!("this tool may be called {limit} times in a run."), "Take another way.")));
            } else {
                in_turn += 1;
                self.tool_calls = self.tool_calls.saturating_add(1);
                if let Some(count) = self.calls_by_tool.get_mut(tool) {
                    *count = count.saturating_add(1);
                }
            }
        }
        if over_run > 0 {
            let limit = limits.max_tool_calls;
            self.halt(RunErrorKind::MaxToolCalls { limit, asked: self.tool_calls.saturating_add(over_run) });
        }
        for (index, why) in over {
            let (why, advice) = why;
            let result = held_back(&self.calls()[index], code::LIMIT_REACHED, &why, advice);
            self.settle(index, Box::new(result), sink);
        }
    }

    /// Calls that a person must decide on wait for that.
    fn hold_for_approval(&mut self, plan: &Plan) {
        let Phase::Tools(batch) = &mut self.phase else { return };
        if !plan.tools.iter().any(|tool| tool.approval) {
            return;
        }
        for index in batch.indexes(|state| *state == SlotState::Ready) {
            let tool = batch.slots()[index].admitted.and_then(|(tool, _)| plan.tools.get(tool));
            if tool.is_some_and(|tool| tool.approval) {
                batch.set(index, SlotState::Undecided);
            }
        }
    }

    pub(super) fn tool_started(&mut self, index: usize, sink: &mut impl EventSink) {
        let Phase::Tools(batch) = &mut self.phase else { return };
        let Some(slot) = batch.slots().get(index).filter(|slot| slot.state == SlotState::Ready) else { return };
        let edited = slot.edited.clone();
        batch.set(index, SlotState::Running);
        tell(sink, || {
            let mut call = self.calls()[index].clone();
            call.arguments = edited.unwrap_or(call.arguments);
            Event::CallStarted { cycle: self.record.cycles, call }
        });
    }

    pub(super) fn tool_done(
        &mut self,
        plan: &Plan,
        index: usize,
        mut result: Box<ToolResult>,
        sink: &mut impl EventSink,
    ) {
        let Phase::Tools(batch) = &self.phase else { return };
        let Some(slot) = batch.slots().get(index).filter(|slot| slot.state == SlotState::Running) else { return };
        result.set_edited(slot.edited.clone());
        let about = result.metadata();
        // A tool's own code may read like one of ours; the status tells them apart.
        let end = match (result.status(), result.code()) {
            // Rights may have changed since the gates were asked, in a run that was taken up.
            (Status::PermissionDenied, Some(code::UNAUTHORIZED)) if plan.on_denied != OnDenied::Continue => {
                Some(RunErrorKind::PermissionDenied { tool: about.tool_name.clone() })
            }
            (Status::FatalError, Some(code::OUTCOME_UNKNOWN)) => Some(RunErrorKind::OutcomeUnknown {
                call_id: about.tool_call_id.clone(),
                tool: about.tool_name.clone(),
                key: about.idempotency_key.clone(),
            }),
            (Status::FatalError, Some(code::KEY_CONFLICT)) => {
                Some(RunErrorKind::KeyConflict { call_id: about.tool_call_id.clone(), tool: about.tool_name.clone() })
            }
            _ => None,
        };
        self.settle(index, result, sink);
        if let Some(end) = end {
            self.halt(end);
            self.hold_back(code::NOT_RUN, "another call of the turn ended the run.", ASK_AGAIN, sink);
        }
        self.close_batch_if_done(plan, sink);
    }

    /// Gives a result to each call that has neither one nor begun.
    pub(super) fn hold_back(&mut self, code: &'static str, why: &str, advice: &str, sink: &mut impl EventSink) {
        let (Phase::Check(batch) | Phase::Tools(batch)) = &self.phase else { return };
        for index in batch.waiting() {
            let result = held_back(&self.calls()[index], code, why, advice);
            self.settle(index, Box::new(result), sink);
        }
    }

    /// Keeps the one result of a call.
    pub(super) fn settle(&mut self, index: usize, result: Box<ToolResult>, sink: &mut impl EventSink) {
        self.note(index, &result, sink);
        if let Phase::Check(batch) | Phase::Tools(batch) = &mut self.phase {
            batch.set(index, SlotState::Done(result));
        }
    }

    /// Records the result of a call.
    pub(super) fn note(&mut self, index: usize, result: &ToolResult, sink: &mut impl EventSink) {
        let call = &self.calls()[index];
        let about = result.metadata();
        let step = ToolStep {
            cycle: self.record.cycles,
            call_id: call.id.clone(),
            tool: call.name.clone(),
            arguments: about.edited_arguments.clone().unwrap_or_else(|| call.arguments.clone()),
            status: result.status(),
            code: result.code().map(str::to_owned),
            replayed: about.replayed,
            attempts: about.attempts,
            latency: Duration::from_millis(about.latency_ms),
        };
        tell(sink, || Event::CallFinished { step: step.clone(), result: Box::new(result.clone()) });
        self.step(StepRecord::Tool(step));
    }

    /// When every call has its result: shows them to the model in call order, and goes on or ends.
    pub(super) fn close_batch_if_done(&mut self, plan: &Plan, sink: &mut impl EventSink) {
        let (Phase::Check(batch) | Phase::Tools(batch)) = &mut self.phase else { return };
        if batch.is_running() || !batch.is_done() {
            return;
        }
        let batch: Batch = std::mem::take(batch);
        match batch.indexes(|state| matches!(state, SlotState::Finish(_))).first() {
            Some(finish) => self.finish_called(plan, batch, *finish, sink),
            None => {
                self.show_batch(plan, batch, None, sink);
                self.after_batch(plan, sink);
            }
        }
    }

    /// Shows the results of a turn to the model, in call order, and lets the breaker see them.
    pub(super) fn show_batch(
        &mut self,
        plan: &Plan,
        mut batch: Batch,
        finish: Option<(usize, ToolResult)>,
        sink: &mut impl EventSink,
    ) {
        if let Some((index, result)) = finish {
            self.note(index, &result, sink);
            batch.set(index, SlotState::Done(Box::new(result)));
        }
        let shown: Vec<_> = self
            .calls()
            .iter()
            .zip(batch.results())
            .map(|(call, result)| {
                let shown = plan.observation.render(result, plan.limits.max_result_bytes);
                Message::tool(call.id.clone(), call.name.clone(), shown)
            })
            .collect();
        for message in shown {
            self.push(plan, message);
        }
        if let Some(circuit) = self.breaker.turn(batch.called(), &plan.limits) {
            self.halt(RunErrorKind::CircuitOpen(circuit));
        }
    }

    /// Goes on to the next turn, or ends.
    pub(super) fn after_batch(&mut self, plan: &Plan, sink: &mut impl EventSink) {
        if self.halt.is_none() {
            let last = self.record.cycles >= plan.limits.max_cycles;
            let over = last.then_some(RunErrorKind::MaxCycles { limit: plan.limits.max_cycles });
            self.halt = self.spent_budget(plan).or(over);
        }
        if self.halt.is_some() {
            self.finish_turn(plan, sink);
        } else {
            self.begin_turn(plan, sink);
        }
    }
}
