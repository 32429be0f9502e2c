//! What happens in a run, told while it happens.

use std::time::Duration;

use serde::Serialize;

use super::approval::Pending;
use super::end::{Circuit, RunErrorKind};
use super::record::{ModelStep, ToolStep};
use crate::dispatch::ToolResult;
use crate::model::{CallId, Reply, ToolCall};

/// Something that happened in a run.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Event {
    /// The run began.
    RunStarted {
        /// Its id.
        run_id: String,
        /// On whose behalf.
        user: String,
        /// For which tenant.
        tenant: String,
    },
    /// The history that the run began with was damaged, and was repaired as each line says.
    HistoryRepaired {
        /// What was wrong.
        damage: Vec<String>,
    },
    /// A turn of the model begins.
    CycleStarted {
        /// The turn, from 1.
        cycle: u32,
        /// The most that the run may have.
        of: u32,
    },
    /// More of the model's text.
    TextDelta {
        /// The piece.
        text: String,
    },
    /// More of the model's reasoning.
    ReasoningDelta {
        /// The piece.
        text: String,
    },
    /// More of a call that the model is writing. Nothing runs before the reply is whole.
    CallBuilding {
        /// Its place among the calls of the reply.
        index: usize,
        /// The tool's name, in the piece that has it.
        name: Option<String>,
        /// More of its arguments.
        arguments: String,
    },
    /// The model answered.
    ModelReplied {
        /// What the record says of it.
        step: ModelStep,
        /// What it said.
        reply: Box<Reply>,
    },
    /// The model gave no answer.
    ModelFailed {
        /// What failed.
        message: String,
    },
    /// A call begins to run.
    CallStarted {
        /// The turn, from 1.
        cycle: u32,
        /// The call.
        call: ToolCall,
    },
    /// A running tool reports progress.
    CallProgress {
        /// The call.
        call_id: CallId,
        /// What it reports.
        report: serde_json::Value,
    },
    /// A call has its result, run or not.
    CallFinished {
        /// What the record says of it.
        step: ToolStep,
        /// The result.
        result: Box<ToolResult>,
    },
    /// A person decided on a call.
    Decided {
        /// The call.
        call_id: CallId,
        /// `approved`, `rejected` or `edited`.
        decision: &'static str,
        /// Who decided.
        by: String,
    },
    /// Older parts of the conversation made room for new ones.
    Compacted {
        /// Tokens that the next request would have had, about.
        before: u64,
        /// Tokens that it has now, about.
        after: u64,
        /// Whether the model summed up what was left out; else only results of tools were left out.
        summarised: bool,
    },
    /// An answer was sent back to the model.
    AnswerSentBack {
        /// Why.
        reason: String,
    },
    /// The model goes in circles, and the run ends for it: an alert.
    CircuitOpened {
        /// How.
        circuit: Circuit,
    },
    /// The model is asked for closing words.
    Concluding {
        /// Since this boundary was met.
        cause: RunErrorKind,
    },
    /// The run waits for people to decide.
    Suspended {
        /// On these calls.
        pending: Vec<Pending>,
    },
    /// The run ended. A run that is asked for again by its id after its end gives this event alone.
    RunFinished {
        /// The answer, or the closing words.
        text: Option<String>,
        /// Why there is no answer.
        error: Option<RunErrorKind>,
        /// From the beginning.
        elapsed: Duration,
        /// Whether the end is given again, of a run that had ended before.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        stored: bool,
    },
}

/// Takes the events of a run, in order.
pub trait EventSink {
    /// Whether anybody listens; where nobody does, no event is made.
    fn listens(&self) -> bool {
        true
    }

    /// Takes an event. Must not block.
    fn event(&mut self, event: Event);
}

/// Makes the event only where somebody listens.
pub(crate) fn tell(sink: &mut impl EventSink, event: impl FnOnce() -> Event) {
    if sink.listens() {
        sink.event(event());
    }
}

/// Nobody listens.
impl EventSink for () {
    fn listens(&self) -> bool {
        false
    }

    fn event(&mut self, _: Event) {}
}

/// Keeps events, for tests.
impl EventSink for Vec<Event> {
    fn event(&mut self, event: Event) {
        self.push(event);
    }
}
