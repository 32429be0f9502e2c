//! What happens in a run, told while it happens.

use std::time::Duration;

use serde::Serialize;

use super::end::RunErrorKind;
use super::record::{ModelStep, ToolStep};
use crate::dispatch::ToolResult;
use crate::model::{CallId, Reply, ToolCall};

/// Something that happened in a run.
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Event<'a> {
    /// The run began.
    RunStarted {
        /// Its id.
        run_id: &'a str,
        /// On whose behalf.
        user: &'a str,
        /// For which tenant.
        tenant: &'a str,
    },
    /// A turn of the model begins.
    CycleStarted {
        /// The turn, from 1.
        cycle: u32,
        /// The most that the run may have.
        of: u32,
    },
    /// The model answered.
    ModelReplied {
        /// What the record says of it.
        step: &'a ModelStep,
        /// What it said.
        reply: &'a Reply,
    },
    /// The model gave no answer.
    ModelFailed {
        /// What failed.
        message: &'a str,
    },
    /// A call begins to run.
    CallStarted {
        /// The turn, from 1.
        cycle: u32,
        /// The call.
        call: &'a ToolCall,
    },
    /// A call has its result, run or not.
    CallFinished {
        /// What the record says of it.
        step: &'a ToolStep,
        /// The result.
        result: &'a ToolResult,
    },
    /// A running tool reports progress.
    CallProgress {
        /// The call.
        call_id: &'a CallId,
        /// What it reports.
        report: &'a serde_json::Value,
    },
    /// The model goes in circles, and the run ends for it: an alert.
    CircuitOpened {
        /// How.
        circuit: &'a super::end::Circuit,
    },
    /// The model is asked for closing words.
    Concluding {
        /// Since this boundary was met.
        cause: &'a RunErrorKind,
    },
    /// The run ended.
    RunFinished {
        /// The answer, or the closing words.
        text: Option<&'a str>,
        /// Why there is no answer.
        error: Option<&'a RunErrorKind>,
        /// From the beginning.
        elapsed: Duration,
    },
}

/// Takes the events of a run, in order.
pub trait EventSink {
    /// Whether anybody listens; where nobody does, nothing is prepared for them.
    fn listens(&self) -> bool {
        true
    }

    /// Takes an event. Must not block.
    fn event(&mut self, event: &Event<'_>);
}

/// Nobody listens.
impl EventSink for () {
    fn listens(&self) -> bool {
        false
    }

    fn event(&mut self, _: &Event<'_>) {}
}

/// Keeps events as JSON, for tests and logs.
impl EventSink for Vec<serde_json::Value> {
    fn event(&mut self, event: &Event<'_>) {
        self.push(serde_json::to_value(event).unwrap_or_else(|error| serde_json::Value::from(error.to_string())));
    }
}
