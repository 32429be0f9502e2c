//! What happened in a run, step by step.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::input::Purpose;
use crate::dispatch::Status;
use crate::model::{CallId, FailedModel, Finish, Message, Usage};

/// All that happened in a run.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Record {
    /// The run's id.
    pub run_id: String,
    /// The conversation, its history included. Every call in it has its result.
    pub messages: Vec<Message>,
    /// Each reply and each call, in order.
    pub steps: Vec<StepRecord>,
    /// Tokens over all replies.
    pub usage: Usage,
    /// Whether some of the tokens are estimated, since a server sent no usage.
    pub usage_estimated: bool,
    /// Turns of the model.
    pub cycles: u32,
    /// Time from the beginning to the last step.
    pub elapsed: Duration,
}

/// One step of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum StepRecord {
    /// A reply of the model.
    Model(ModelStep),
    /// A call of a tool, run or not.
    Tool(ToolStep),
}

/// A reply of the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ModelStep {
    /// The turn, from 1.
    pub cycle: u32,
    /// What the model was asked for.
    pub purpose: Purpose,
    /// The model that answered, by the server's name for it.
    pub model: Option<String>,
    /// Why it stopped.
    pub finish: Option<Finish>,
    /// How many calls it asked for.
    pub calls: usize,
    /// Its tokens.
    pub usage: Usage,
    /// Whether the tokens are estimated.
    pub usage_estimated: bool,
    /// Requests sent, retries included.
    pub attempts: u32,
    /// The models that were asked before it and could not answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fallbacks: Vec<FailedModel>,
    /// How long it took.
    pub latency: Duration,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolStep {
    /// The turn, from 1.
    pub cycle: u32,
    /// The call.
    pub call_id: CallId,
    /// The tool, as the model wrote it.
    pub tool: String,
    /// The arguments, as the model wrote them.
    pub arguments: String,
    /// How it ended.
    pub status: Status,
    /// The code of its error.
    pub code: Option<String>,
    /// Whether an earlier result was given again.
    pub replayed: bool,
    /// How often the tool's function was tried; 0 where it was not run.
    pub attempts: u32,
    /// How long it took.
    pub latency: Duration,
}
