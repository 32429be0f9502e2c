//! How a run ends: at once, once its calls have their results, or by way of closing words.

use super::{End, Phase, Run, calls};
use crate::dispatch::code;
use crate::run::end::RunErrorKind;
use crate::run::event::{Event, EventSink, tell};
use crate::run::input::Purpose;
use crate::run::plan::{OnDenied, Plan};

impl Run {
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

    /// Whether the run has ended, or will once its calls have, in a way that leaves it open under its id.
    pub(crate) fn is_left_open(&self) -> bool {
        let kind = match &self.phase {
            Phase::Ended(End::Answered { .. }) => None,
            Phase::Ended(End::Failed { kind, .. }) => Some(kind),
            _ => self.halt.as_ref(),
        };
        kind.is_some_and(RunErrorKind::is_left_open)
    }

    /// Tells the end of a run that has ended, for whoever asks for it again.
    pub(crate) fn tell_end(&self, sink: &mut impl EventSink) {
        let (text, error) = match &self.phase {
            Phase::Ended(End::Answered { text, .. }) => (Some(text.clone()), None),
            Phase::Ended(End::Failed { kind, text }) => (text.clone(), Some(kind.clone())),
            _ => return,
        };
        tell(sink, || Event::RunFinished { text, error, elapsed: self.record.elapsed, stored: true });
    }

    /// Ends the run now, or when the calls that are running have ended.
    pub(super) fn interrupt(&mut self, plan: &Plan, kind: RunErrorKind, sink: &mut impl EventSink) {
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
    pub(super) fn halt(&mut self, kind: RunErrorKind) {
        if self.halt.as_ref().is_none_or(|held| gravity(&kind) > gravity(held)) {
            self.halt = Some(kind);
        }
    }

    /// Ends the run for the reason that was remembered, by way of a closing turn where the host wants one.
    pub(super) fn finish_turn(&mut self, plan: &Plan, sink: &mut impl EventSink) {
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
    pub(super) fn fail(&mut self, text: Option<String>, sink: &mut impl EventSink, otherwise: RunErrorKind) {
        let kind = self.halt.clone().unwrap_or(otherwise);
        let elapsed = self.record.elapsed;
        tell(sink, || Event::RunFinished { text: text.clone(), error: Some(kind.clone()), elapsed, stored: false });
        self.phase = Phase::Ended(End::Failed { kind, text });
    }
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
