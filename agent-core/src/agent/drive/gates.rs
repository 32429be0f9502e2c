//! Asks those who must agree to a call, or to an answer.

use tracing::{Instrument, Span};

use super::{Clock, Driver};
use crate::dispatch::{Gated, ToolResult, unknown};
use crate::guest::{awaited, quiet};
use crate::model::ToolCall;
use crate::run::{Checked, Decided, Input, Pending, Run};
use crate::telemetry::spans;

/// The calls of the present turn, with what the gates said of them.
pub(super) struct Turn<S> {
    pub(super) calls: Vec<ToolCall>,
    pub(super) verdicts: Vec<Option<Gate<S>>>,
}

/// What the gates said of a call.
pub(super) enum Gate<S> {
    Tool(Gated<S>),
    Finish(Checked),
}

impl<S: Send + Sync + 'static> Driver<'_, S> {
    /// Asks the gates about every call of a turn.
    pub(super) async fn check(&self, calls: Vec<ToolCall>, offered: Option<&[String]>) -> Turn<S> {
        let mut verdicts = Vec::with_capacity(calls.len());
        for call in &calls {
            let finish = self.finish.as_ref().filter(|_| self.plan.finish.as_ref() == Some(&call.name));
            verdicts.push(Some(match (finish, offered) {
                (Some(finish), _) => Gate::Finish(finish.check(call)),
                (None, Some(names)) if !names.contains(&call.name) => {
                    let names: Vec<&str> = names.iter().map(String::as_str).collect();
                    Gate::Tool(Err(Box::new(unknown(call, &names))))
                }
                _ => Gate::Tool(self.agent.toolbox.gate(call, &self.caller).await),
            }));
        }
        Turn { calls, verdicts }
    }

    /// Asks the approver about each call; without one, people decide later.
    pub(super) async fn ask_approval(&self, run: &Run, pending: Vec<Pending>) -> Vec<Input> {
        let span = if self.agent.approver.is_some() { spans::approval(pending.len()) } else { Span::none() };
        self.ask_approver(run, pending).instrument(span).await
    }

    async fn ask_approver(&self, run: &Run, pending: Vec<Pending>) -> Vec<Input> {
        let mut inputs = Vec::with_capacity(pending.len());
        for call in pending {
            let decision = match &self.agent.approver {
                Some(approver) => awaited(|| approver.decide(&self.caller, &call)).await.unwrap_or_else(|| {
                    tracing::error!(call = %call.call_id, "an approver panicked; the call waits");
                    None
                }),
                None => None,
            };
            let (by, decided) = match decision {
                None => (String::new(), Decided::Later),
                Some(decision) if decision.call_id != call.call_id => {
                    tracing::error!(call = %call.call_id, "an approver decided on another call than it was asked about");
                    (String::new(), Decided::Later)
                }
                Some(decision) => match self.decided(run, &decision).await {
                    Ok(decided) => (decision.by, decided),
                    Err(what) => {
                        tracing::error!(call = %call.call_id, what, "an approver's decision does not fit");
                        (String::new(), Decided::Later)
                    }
                },
            };
            inputs.push(Input::Decided { call_id: call.call_id, by, decided });
        }
        inputs
    }

    pub(super) fn check_answer(&self, run: &Run) -> Result<(), String> {
        match (&self.check, run.offered_answer()) {
            (Some(check), Some((text, value))) => {
                quiet(|| check(text, value)).unwrap_or_else(|| Err("looking at it failed".to_owned()))
            }
            _ => Ok(()),
        }
    }

    /// Tells a run that was taken up which of its calls may not run any more, before any of them does.
    pub(super) fn refuse(&self, run: &mut Run, turn: &mut Turn<S>, clock: Clock) {
        for (index, gate) in turn.verdicts.iter_mut().enumerate() {
            if !run.is_ready(index) || !matches!(gate, Some(Gate::Tool(Err(_)))) {
                continue;
            }
            if let Some(Gate::Tool(Err(result))) = gate.take() {
                run.apply(self.plan, Input::ToolStarted(index), &mut &self.listeners);
                self.apply(run, Input::ToolDone(index, result), clock);
            }
        }
    }
}

impl<S> Turn<S> {
    /// The calls that a gate has refused, each with its result.
    pub(super) fn refused(&self, which: impl Fn(usize) -> bool) -> Vec<(&ToolCall, &ToolResult)> {
        let gates = self.calls.iter().zip(&self.verdicts).enumerate();
        gates
            .filter(|(index, _)| which(*index))
            .filter_map(|(_, (call, gate))| match gate {
                Some(Gate::Tool(Err(result))) => Some((call, &**result)),
                Some(Gate::Finish(checked)) => refused((call, checked)),
                _ => None,
            })
            .collect()
    }
}

/// A call of the finish tool that was refused, with its result.
pub(super) fn refused<'a>((call, checked): (&'a ToolCall, &'a Checked)) -> Option<(&'a ToolCall, &'a ToolResult)> {
    match checked {
        Checked::Refused(result) => Some((call, result)),
        _ => None,
    }
}

impl<S> Gate<S> {
    pub(super) fn checked(&self) -> Checked {
        match self {
            Self::Tool(Ok(passed)) => Checked::ready(passed.tool, passed.digest),
            Self::Tool(Err(result)) => Checked::Refused(result.clone()),
            Self::Finish(checked) => checked.clone(),
        }
    }
}
