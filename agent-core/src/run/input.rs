//! What a driver is told to do, and what it reports.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::approval::Pending;
use super::batch::Checked;
use super::end::ModelFailure;
use crate::dispatch::ToolResult;
use crate::model::{CallId, Reply};

/// What is to be done next.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Step {
    /// Ask the model, with [`Run::request_messages`](super::Run::request_messages); report with
    /// [`Input::Reply`] or [`Input::ModelFailed`].
    CallModel {
        /// What for.
        purpose: Purpose,
    },
    /// Ask the gates about every call of the last reply; report with [`Input::Checked`].
    CheckCalls,
    /// Ask who may decide on these calls; report each with [`Input::Decided`].
    AskApproval {
        /// The calls.
        pending: Vec<Pending>,
    },
    /// Start these calls, by their place in the turn, beside those that are running; report each with
    /// [`Input::ToolStarted`] and [`Input::ToolDone`]. When empty, wait for one that is running.
    CallTools {
        /// The calls to start.
        start: Vec<usize>,
    },
    /// Ask whether the host takes the answer; report with [`Input::AnswerChecked`].
    CheckAnswer,
    /// Wait for people: the run can be saved and taken up with [`Input::Decided`]. Whoever leaves it to that reports
    /// [`Input::Suspended`].
    Suspended {
        /// The calls that wait.
        pending: Vec<Pending>,
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
    /// For a summary of the older part of the conversation, without tools.
    Compact,
}

/// What a driver reports.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Input {
    /// The time since the run began. A driver reports it before every other input.
    Clock(Duration),
    /// The model is asked with these tools only, or with all. Reported before the reply.
    Offered(Option<Vec<String>>),
    /// The model answered, after this long.
    Reply(Box<Reply>, Duration),
    /// The model gave no answer.
    ModelFailed(ModelFailure),
    /// What the gates say of each call of the turn, in order.
    Checked(Vec<Checked>),
    /// What was decided on a call that waits.
    Decided {
        /// The call.
        call_id: CallId,
        /// Who decided.
        by: String,
        /// What.
        decided: Decided,
    },
    /// A call is running.
    ToolStarted(usize),
    /// A call has ended.
    ToolDone(usize, Box<ToolResult>),
    /// Whether the host takes the answer, or why not.
    AnswerChecked(Result<(), String>),
    /// Nobody drives the run until people have decided; it stays as it is.
    Suspended,
    /// The host wants the run to end, for this reason.
    Cancel(String),
    /// The run could not be saved, for this reason: nothing more may begin.
    NotSaved(String),
}

/// What was decided on a call.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Decided {
    /// It may run.
    Approved,
    /// It may not, for this reason.
    Rejected(String),
    /// It may run with these arguments, of which the gates say this.
    Edited(String, Checked),
    /// Nobody has decided; the run will be suspended for it.
    Later,
}
