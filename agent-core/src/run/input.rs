//! What a driver is told to do, and what it reports.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::batch::Checked;
use super::end::ModelFailure;
use crate::dispatch::ToolResult;
use crate::model::Reply;

/// What is to be done next.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// Ask the model; report with [`Input::Reply`] or [`Input::ModelFailed`].
    CallModel {
        /// What for.
        purpose: Purpose,
    },
    /// Ask the gates about every call of the last reply; report with [`Input::Checked`].
    CheckCalls,
    /// Start these calls, by their place in the turn, beside those that are running; report each with
    /// [`Input::ToolStarted`] and [`Input::ToolDone`]. When empty, wait for one that is running.
    CallTools {
        /// The calls to start.
        start: Vec<usize>,
    },
    /// Nothing: the run has ended.
    Done,
}

/// Why the model is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Purpose {
    /// For its turn.
    Turn,
    /// For closing words, without tools, after a boundary was met.
    Close,
}

/// What a driver reports.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Input {
    /// The time since the run began. A driver reports it before every other input.
    Clock(Duration),
    /// The model answered, after this long.
    Reply(Box<Reply>, Duration),
    /// The model gave no answer.
    ModelFailed(ModelFailure),
    /// What the gates say of each call of the turn, in order.
    Checked(Vec<Checked>),
    /// A call is running.
    ToolStarted(usize),
    /// A call has ended.
    ToolDone(usize, Box<ToolResult>),
    /// The host wants the run to end, for this reason.
    Cancel(String),
}
