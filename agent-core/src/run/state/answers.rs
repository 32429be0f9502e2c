//! What an answer must pass before it counts.

use serde::{Deserialize, Serialize};

use super::{End, Phase, Run};
use crate::dispatch::{Status, ToolResult, code, held_back, sentence};
use crate::model::Message;
use crate::run::batch::{Batch, SlotState};
use crate::run::end::RunErrorKind;
use crate::run::event::{Event, EventSink, tell};
use crate::run::plan::Plan;

/// An answer that the host has not looked at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Offered {
    text: String,
    value: Option<String>,
    /// The turn of the finish tool, with the place of its call.
    turn: Option<(Batch, usize)>,
}

impl Offered {
    /// Whether every call beside the answer has its result.
    pub(super) fn check(&self) -> Result<(), String> {
        let Some((batch, index)) = &self.turn else { return Ok(()) };
        let whole = batch.slots().iter().enumerate().all(|(at, slot)| match &slot.state {
            SlotState::Done(_) => at != *index,
            SlotState::Finish(_) => at == *index,
            _ => false,
        });
        if whole { Ok(()) } else { Err("a call beside its answer has no result".to_owned()) }
    }

    /// The number of states of its turn, which is also damaged where the answer's place lies outside.
    pub(super) fn slots(&self) -> Option<usize> {
        self.turn
            .as_ref()
            .map(|(batch, index)| if *index < batch.slots().len() { batch.slots().len() } else { usize::MAX })
    }
}

impl Run {
    /// The answer that the host is to look at: its text, and its value as JSON text.
    pub fn offered_answer(&self) -> Option<(&str, Option<&str>)> {
        match &self.phase {
            Phase::Answer(offered) => Some((&offered.text, offered.value.as_deref())),
            _ => None,
        }
    }

    /// The model spoke without calling anything.
    pub(super) fn text_answer(&mut self, plan: &Plan, text: String, sink: &mut impl EventSink) {
        if let Some(finish) = &plan.finish {
            let reason = format!("the answer must be given by calling `{finish}`");
            if self.sent_back {
                return self.fail(Some(text), sink, RunErrorKind::NoAnswer { reason, extra_calls: None });
            }
            self.sent_back = true;
            return self.send_back(plan, Some(text), &reason, sink);
        }
        self.offer(plan, Offered { text, value: None, turn: None }, sink);
    }

    /// Every call of a turn with the finish tool has its result.
    pub(super) fn finish_called(&mut self, plan: &Plan, mut batch: Batch, index: usize, sink: &mut impl EventSink) {
        let SlotState::Finish(value) = batch.slots()[index].state.clone() else { return };
        // An answer that was given wrong beside one that was given right is a call that failed, too.
        let alone = batch.results().all(ToolResult::is_success);
        for other in batch.indexes(|state| matches!(state, SlotState::Finish(_))) {
            if other != index {
                let why = "another answer was given in this turn.";
                let result = held_back(&self.calls()[other], code::NOT_RUN, why, "Give one answer.");
                self.note(other, &result, sink);
                batch.set(other, SlotState::Done(Box::new(result)));
            }
        }
        if self.halt.is_some() || !alone {
            let why = "The answer was not taken: another call of the turn failed. Look at the results, then answer.";
            let result = ToolResult::error(&self.calls()[index], Status::FatalError, code::NOT_RUN, why, None);
            return self.settle_finish(plan, batch, index, result, sink);
        }
        let text = self.text_of_turn().unwrap_or_else(|| value.clone());
        self.offer(plan, Offered { text, value: Some(value), turn: Some((batch, index)) }, sink);
    }

    fn offer(&mut self, plan: &Plan, offered: Offered, sink: &mut impl EventSink) {
        self.phase = Phase::Answer(offered);
        if !plan.checks_answer {
            self.answer_checked(plan, Ok(()), sink);
        }
    }

    /// The host takes the answer, or says why not.
    pub(super) fn answer_checked(&mut self, plan: &Plan, taken: Result<(), String>, sink: &mut impl EventSink) {
        let Phase::Answer(offered) = &mut self.phase else { return };
        let Offered { text, value, turn } =
            std::mem::replace(offered, Offered { text: String::new(), value: None, turn: None });
        match (taken, turn) {
            (Ok(()), turn) => {
                if let Some((batch, index)) = turn {
                    let data = serde_json::value::RawValue::from_string(r#"{"accepted":true}"#.to_owned());
                    // The text above is JSON.
                    let Ok(data) = data else { return };
                    let result = ToolResult::success(&self.calls()[index], data);
                    self.show_batch(plan, batch, Some((index, result)), sink);
                }
                let elapsed = self.record.elapsed;
                tell(sink, || Event::RunFinished { text: Some(text.clone()), error: None, elapsed, stored: false });
                self.phase = Phase::Ended(End::Answered { text, value });
            }
            (Err(reason), None) => self.send_back(plan, Some(text), &reason, sink),
            (Err(reason), Some((batch, index))) => {
                tell(sink, || Event::AnswerSentBack { reason: reason.clone() });
                let why = format!("The answer was not taken: {} Correct it and answer again.", sentence(&reason));
                let status = Status::ValidationError;
                let result = ToolResult::error(&self.calls()[index], status, code::ANSWER_REJECTED, why, None);
                if let Some(end) = self.cannot_ask_again(plan, no_answer(plan, reason)) {
                    self.halt(end);
                }
                self.show_batch(plan, batch, Some((index, result)), sink);
                if self.halt.is_some() {
                    self.finish_turn(plan, sink);
                } else {
                    // The same turn once more: it is an extra call, and counts as one.
                    self.ask_model(plan, sink);
                }
            }
        }
    }

    /// The run ends before the host has looked at the answer.
    pub(super) fn withdraw_answer(&mut self, plan: &Plan, sink: &mut impl EventSink) {
        let Phase::Answer(offered) = &mut self.phase else { return };
        match offered.turn.take() {
            Some((batch, index)) => {
                let why = "The answer was not taken: the run ended before the host had looked at it. \
                           Give it again when the person asks again.";
                let result = ToolResult::error(&self.calls()[index], Status::FatalError, code::NOT_RUN, why, None);
                self.settle_finish(plan, batch, index, result, sink);
            }
            None => self.finish_turn(plan, sink),
        }
    }

    /// Tells the model why its words do not count, and asks once more.
    fn send_back(&mut self, plan: &Plan, text: Option<String>, reason: &str, sink: &mut impl EventSink) {
        if let Some(end) = self.cannot_ask_again(plan, no_answer(plan, reason.to_owned())) {
            return self.fail(text, sink, end);
        }
        tell(sink, || Event::AnswerSentBack { reason: reason.to_owned() });
        self.push(plan, Message::user(format!("(The answer does not count: {} Answer again.)", sentence(reason))));
        self.ask_model(plan, sink);
    }

    /// The finish tool was called and the run goes on.
    fn settle_finish(
        &mut self,
        plan: &Plan,
        batch: Batch,
        index: usize,
        result: ToolResult,
        sink: &mut impl EventSink,
    ) {
        self.show_batch(plan, batch, Some((index, result)), sink);
        self.after_batch(plan, sink);
    }

    /// What the model said beside the calls of the turn.
    fn text_of_turn(&self) -> Option<String> {
        let said = self.record.messages.iter().rev().find_map(|message| match message.body() {
            crate::model::Body::Assistant { text, .. } => Some(text.clone()),
            _ => None,
        });
        said.flatten().filter(|text| !text.trim().is_empty())
    }
}

/// The end of a run whose answers the host did not take, when none is left to ask for.
fn no_answer(plan: &Plan, reason: String) -> RunErrorKind {
    RunErrorKind::NoAnswer { reason, extra_calls: Some(plan.limits.max_extra_calls) }
}
