//! What a reply of the model does to a run.

use std::time::Duration;

use super::{Phase, Run};
use crate::model::{CallId, Finish, Message, ModelErrorKind, Reply, ToolCall};
use crate::run::batch::Batch;
use crate::run::end::{ModelFailure, RunErrorKind};
use crate::run::event::{Event, EventSink, tell};
use crate::run::input::Purpose;
use crate::run::plan::Plan;
use crate::run::record::{ModelStep, StepRecord};

impl Run {
    pub(super) fn reply(&mut self, plan: &Plan, mut reply: Reply, latency: Duration, sink: &mut impl EventSink) {
        let Phase::Model(purpose) = self.phase else { return };
        let (usage, estimated) = self.usage_of(plan, &reply);
        let asked = reply.calls.len();
        let most = most_calls(plan);
        if asked > most {
            // Neither named nor kept: each would need a result, and the model would be shown all of them.
            reply.calls.clear();
        }
        self.name_calls(&mut reply.calls);
        self.spend(usage);
        self.record.usage_estimated |= estimated;
        let step = ModelStep {
            cycle: self.record.cycles,
            purpose,
            model: reply.model.clone(),
            finish: reply.finish.clone(),
            calls: asked,
            usage,
            usage_estimated: estimated,
            attempts: reply.attempts,
            fallbacks: reply.fallbacks.clone(),
            latency,
        };
        tell(sink, || Event::ModelReplied { step: step.clone(), reply: Box::new(reply.clone()) });
        self.step(StepRecord::Model(step));
        match purpose {
            Purpose::Turn if asked > most => {
                let message = format!("its reply asks for {asked} calls, and at most {most} are taken");
                let kind = ModelErrorKind::MalformedResponse;
                let failure = ModelFailure { kind, message, retryable: true, attempts: reply.attempts };
                self.model_failed(plan, failure, sink);
            }
            Purpose::Turn => self.turn(plan, reply, (!estimated).then(|| usage.total()), sink),
            Purpose::Close => self.close(plan, reply, sink),
            Purpose::Compact => {
                // A summary that was cut or taken away would lose what it leaves out.
                let whole = matches!(reply.finish, None | Some(Finish::Stop | Finish::ToolCalls));
                let summary = reply.text.as_deref().filter(|_| whole).unwrap_or_default();
                self.summarised(plan, summary, sink);
            }
        }
    }

    pub(super) fn model_failed(&mut self, plan: &Plan, failure: ModelFailure, sink: &mut impl EventSink) {
        let Phase::Model(purpose) = self.phase else { return };
        tell(sink, || Event::ModelFailed { message: failure.message.clone() });
        match purpose {
            // Without a summary the turn is tried as it is.
            Purpose::Compact => self.phase = Phase::Model(Purpose::Turn),
            Purpose::Turn if failure.kind == ModelErrorKind::ContextLength && !self.overflowed => {
                self.overflowed = true;
                // Whatever can be left out is: the server knows its window better than the estimate does.
                if !self.make_room(plan, 0, sink) || !self.take_extra_call(plan) {
                    self.fail(None, sink, RunErrorKind::ModelFailed(failure));
                }
            }
            Purpose::Turn | Purpose::Close => self.fail(None, sink, RunErrorKind::ModelFailed(failure)),
        }
    }

    fn turn(&mut self, plan: &Plan, reply: Reply, counted: Option<u64>, sink: &mut impl EventSink) {
        self.overflowed = false;
        let Reply { text, refusal, calls, finish, echo, .. } = reply;
        let end = match (&finish, &refusal) {
            (_, Some(refusal)) if !is_blank(refusal) => Some(RunErrorKind::Refused { refusal: refusal.clone() }),
            (Some(Finish::ContentFilter), _) => Some(RunErrorKind::ContentFiltered),
            (Some(Finish::Length), _) => Some(RunErrorKind::Truncated),
            _ => None,
        };
        if calls.is_empty() {
            let said = text.as_deref().filter(|text| !is_blank(text)).map(str::to_owned);
            if said.is_none() && end.is_none() {
                return self.empty_reply(plan, sink);
            }
            self.asked_again = false;
            self.push(plan, Message::reply(text, refusal, calls, echo));
            self.measured = counted.map(|tokens| (tokens, self.size));
            return match (end.or_else(|| unfinished(finish)), said) {
                (Some(end), said) => self.fail(said, sink, end),
                (None, said) => self.text_answer(plan, said.unwrap_or_default(), sink),
            };
        }
        self.asked_again = false;
        let asked = calls.len();
        let finishes = calls.iter().any(|call| plan.finish.as_ref() == Some(&call.name));
        self.push(plan, Message::reply(text, refusal, calls, echo));
        self.measured = counted.map(|tokens| (tokens, self.size));
        self.batches = self.batches.saturating_add(1);
        self.phase = Phase::Check(Batch::of(asked));
        let last = self.record.cycles >= plan.limits.max_cycles;
        // A list of calls that may have been cut is not one that was asked for.
        let (end, why) = match end.or_else(|| unfinished(finish)) {
            Some(end) => (Some(end), "the reply that asked for it is incomplete."),
            // An answer counts, whatever it took: what stands beside it runs, so that it can.
            None if finishes => (None, ""),
            None => match self.spent_budget(plan) {
                Some(spent) => (Some(spent), "the run's budget is spent."),
                None if last => {
                    let limit = plan.limits.max_cycles;
                    (Some(RunErrorKind::MaxCycles { limit }), "the run has no turn left to use its result.")
                }
                None => (None, ""),
            },
        };
        if let Some(end) = end {
            self.halt(end);
            self.hold_back(crate::dispatch::code::NOT_RUN, why, super::calls::ASK_AGAIN, sink);
            self.close_batch_if_done(plan, sink);
        }
    }

    /// Asks once more, then ends.
    fn empty_reply(&mut self, plan: &Plan, sink: &mut impl EventSink) {
        if self.asked_again {
            return self.fail(None, sink, RunErrorKind::EmptyReply { extra_calls: None });
        }
        self.asked_again = true;
        let extra_calls = Some(plan.limits.max_extra_calls);
        if let Some(end) = self.cannot_ask_again(plan, RunErrorKind::EmptyReply { extra_calls }) {
            self.fail(None, sink, end);
        }
    }

    /// Closing words end the run; calls in them are not run, and not kept either.
    fn close(&mut self, plan: &Plan, reply: Reply, sink: &mut impl EventSink) {
        let text = reply.text.filter(|text| !is_blank(text));
        if let Some(text) = &text {
            self.push(plan, Message::reply(Some(text.clone()), None, Vec::new(), reply.echo));
        }
        self.fail(text, sink, RunErrorKind::EmptyReply { extra_calls: None });
    }

    /// Gives an id of its own to each call whose server gave none, or one that was used before.
    fn name_calls(&self, calls: &mut [ToolCall]) {
        let mut taken = std::collections::HashSet::new();
        for (index, call) in calls.iter_mut().enumerate() {
            let used = |id: &CallId, taken: &std::collections::HashSet<CallId>| {
                id.as_str().is_empty() || self.ids.contains(id) || taken.contains(id)
            };
            let mut extra = 0;
            while used(&call.id, &taken) {
                let cycle = self.record.cycles;
                call.id = match extra {
                    0 => CallId::new(format!("call_{cycle}_{index}")),
                    n => CallId::new(format!("call_{cycle}_{index}_{n}")),
                };
                extra += 1;
            }
            taken.insert(call.id.clone());
        }
    }
}

/// Why a reply is not whole, where the server's word for its end is none that the adapter knows.
fn unfinished(finish: Option<Finish>) -> Option<RunErrorKind> {
    match finish? {
        Finish::Other(reason) => Some(RunErrorKind::Unfinished { reason }),
        _ => None,
    }
}

/// The most calls of one reply: more than any turn needs, whatever the host allows a turn.
fn most_calls(plan: &Plan) -> usize {
    const MOST_CALLS: usize = 1_024;
    usize::try_from(plan.limits.max_tool_calls_per_turn).unwrap_or(usize::MAX).max(MOST_CALLS)
}

fn is_blank(text: &str) -> bool {
    text.trim().is_empty()
}
