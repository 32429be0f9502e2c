//! Why a run ended without an answer.

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::state::Run;
use crate::dispatch::{cut, sentence};
use crate::model::{CallId, ModelError, ModelErrorKind};

/// Why a run ended without an answer.
///
/// Where the agent has a store of runs, such an end is given again under the run's id. Not so
/// [`ModelFailed`](Self::ModelFailed), [`Timeout`](Self::Timeout), [`Cancelled`](Self::Cancelled),
/// [`OutcomeUnknown`](Self::OutcomeUnknown) and [`NotSaved`](Self::NotSaved): such a run is left as it was last saved, and the
/// same id goes on from there, with the keys that its calls had.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum RunErrorKind {
    /// The model had all its turns.
    MaxCycles {
        /// `Limits::max_cycles`.
        limit: u32,
    },
    /// The run's time is over. With a store of runs, the same id goes on with what was left of it at the last step, or with
    /// more, where `Limits::timeout` is larger by then.
    Timeout {
        /// `Limits::timeout`.
        limit: Duration,
    },
    /// The model asked for more calls than the run may make.
    MaxToolCalls {
        /// `Limits::max_tool_calls`.
        limit: u32,
        /// The calls that it asked for.
        asked: u32,
    },
    /// The run took more tokens than it may.
    TokenBudget {
        /// `Limits::max_tokens`.
        limit: u64,
        /// The tokens taken.
        used: u64,
    },
    /// The run cost more than it may.
    CostBudget {
        /// The most that it may cost.
        limit: f64,
        /// What it cost.
        used: f64,
    },
    /// The model went in circles.
    CircuitOpen(Circuit),
    /// The model asked for a tool that the caller may not use.
    PermissionDenied {
        /// The tool.
        tool: String,
    },
    /// The model said nothing, and nothing again where it could be asked once more.
    EmptyReply {
        /// `Limits::max_extra_calls`, where none was left to ask once more.
        extra_calls: Option<u32>,
    },
    /// The model's reply was cut at its limit of tokens.
    Truncated,
    /// The model's reply ended for a reason that is not known to be its end; calls in it were not run.
    Unfinished {
        /// The server's word for it.
        reason: String,
    },
    /// The model refused.
    Refused {
        /// In these words.
        refusal: String,
    },
    /// A filter took the model's reply.
    ContentFiltered,
    /// The host cancelled the run. With a store of runs, the same id goes on.
    Cancelled {
        /// For this reason.
        reason: String,
    },
    /// Nobody can tell whether a mutating call took effect. With a store of runs, the same id goes on once the call has
    /// ended after all, or an operator has settled or released it; until then it ends like this again.
    OutcomeUnknown {
        /// The call.
        call_id: CallId,
        /// Its tool.
        tool: String,
        /// Its idempotency key.
        key: Option<String>,
    },
    /// The key of a mutating call was used for another call.
    KeyConflict {
        /// The call.
        call_id: CallId,
        /// Its tool.
        tool: String,
    },
    /// The run could not be saved, or is somebody else's by now; nothing was begun after that.
    NotSaved {
        /// Why.
        what: String,
    },
    /// Another process drives this run, or has died while it did: it may be taken up when that one's lease is over,
    /// at most half a minute after its last sign of life. Nothing was begun.
    Owned {
        /// The run's id.
        run_id: String,
    },
    /// The model gave no answer of the wanted kind.
    NoAnswer {
        /// Why the last one did not count.
        reason: String,
        /// `Limits::max_extra_calls`, where none was left to ask once more.
        extra_calls: Option<u32>,
    },
    /// The model gave no reply. With a store of runs, the same id asks it again.
    ModelFailed(ModelFailure),
    /// People must decide on calls: save the run, and take it up with their decisions.
    Suspended(Box<Run>),
    /// The run was not taken up, since a decision or a caller does not belong to it, or it is an old copy.
    NotResumed {
        /// What does not fit.
        what: String,
        /// The run, as it was.
        run: Box<Run>,
    },
    /// The run could not begin: the setting is wrong as the text says.
    Invalid {
        /// What is wrong.
        what: String,
    },
}

/// How a model went in circles.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Circuit {
    /// The same mistake in several turns.
    RepeatedError {
        /// The tool.
        tool: String,
        /// The code of the mistake.
        code: String,
        /// In so many turns.
        turns: u32,
    },
    /// The same successful read in several turns.
    RepeatedRead {
        /// The tool.
        tool: String,
        /// In so many turns.
        turns: u32,
    },
    /// Invalid calls in several turns in a row.
    InvalidTurns {
        /// So many turns.
        turns: u32,
    },
}

/// A model's failure as a run remembers it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelFailure {
    /// Its kind.
    pub kind: ModelErrorKind,
    /// What failed.
    pub message: String,
    /// Whether the same request may succeed later.
    pub retryable: bool,
    /// Requests sent, retries included.
    pub attempts: u32,
}

impl From<&ModelError> for ModelFailure {
    fn from(error: &ModelError) -> Self {
        Self {
            kind: error.kind(),
            message: error.to_string(),
            retryable: error.is_retryable(),
            attempts: error.get_attempts(),
        }
    }
}

/// The bounds that a host may choose a closing turn for; see [`OnLimit`](super::OnLimit).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LimitKind {
    /// [`RunErrorKind::MaxCycles`].
    MaxCycles,
    /// [`RunErrorKind::MaxToolCalls`].
    MaxToolCalls,
    /// [`RunErrorKind::TokenBudget`].
    TokenBudget,
    /// [`RunErrorKind::CostBudget`].
    CostBudget,
    /// [`RunErrorKind::CircuitOpen`].
    CircuitOpen,
}

impl RunErrorKind {
    /// The bound that was met, where the host may choose what then happens.
    pub(crate) fn limit(&self) -> Option<LimitKind> {
        match self {
            Self::MaxCycles { .. } => Some(LimitKind::MaxCycles),
            Self::MaxToolCalls { .. } => Some(LimitKind::MaxToolCalls),
            Self::TokenBudget { .. } => Some(LimitKind::TokenBudget),
            Self::CostBudget { .. } => Some(LimitKind::CostBudget),
            Self::CircuitOpen(_) => Some(LimitKind::CircuitOpen),
            _ => None,
        }
    }

    /// Whether a stored run that ended like this is left as it was last saved: what stopped it is outside of it, and may be
    /// otherwise the next time.
    pub(crate) fn is_left_open(&self) -> bool {
        matches!(
            self,
            Self::ModelFailed(_)
                | Self::Timeout { .. }
                | Self::Cancelled { .. }
                | Self::OutcomeUnknown { .. }
                | Self::NotSaved { .. }
        )
    }

    /// The boundary that was met, for the model.
    pub(crate) fn boundary(&self) -> String {
        match self {
            Self::MaxCycles { limit } => format!("all {limit} turns are used"),
            Self::MaxToolCalls { limit, .. } => format!("all {limit} calls of tools are used"),
            Self::TokenBudget { limit, .. } => format!("the budget of {limit} tokens is spent"),
            Self::CostBudget { limit, .. } => format!("the budget of {limit} for its cost is spent"),
            Self::CircuitOpen(Circuit::RepeatedError { tool, code, turns }) => {
                format!("the same mistake with `{tool}` ({code}) was made in {turns} turns")
            }
            Self::CircuitOpen(Circuit::RepeatedRead { tool, turns }) => {
                format!("the same call of `{tool}` was made in {turns} turns")
            }
            Self::CircuitOpen(Circuit::InvalidTurns { turns }) => {
                format!("calls were invalid in {turns} turns in a row")
            }
            Self::PermissionDenied { tool } => format!("the person may not use the tool `{tool}`"),
            other => other.as_str().replace('_', " "),
        }
    }

    /// The kind in snake case, as in logs and records.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::MaxCycles { .. } => "max_cycles",
            Self::Timeout { .. } => "timeout",
            Self::MaxToolCalls { .. } => "max_tool_calls",
            Self::TokenBudget { .. } => "token_budget",
            Self::CostBudget { .. } => "cost_budget",
            Self::CircuitOpen(_) => "circuit_open",
            Self::PermissionDenied { .. } => "permission_denied",
            Self::EmptyReply { .. } => "empty_reply",
            Self::Truncated => "truncated",
            Self::Unfinished { .. } => "unfinished",
            Self::Refused { .. } => "refused",
            Self::ContentFiltered => "content_filtered",
            Self::Cancelled { .. } => "cancelled",
            Self::OutcomeUnknown { .. } => "outcome_unknown",
            Self::KeyConflict { .. } => "key_conflict",
            Self::NotSaved { .. } => "not_saved",
            Self::Owned { .. } => "owned",
            Self::NoAnswer { .. } => "no_answer",
            Self::ModelFailed(_) => "model_failed",
            Self::Suspended(_) => "suspended",
            Self::NotResumed { .. } => "not_resumed",
            Self::Invalid { .. } => "invalid",
        }
    }
}

impl fmt::Display for RunErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MaxCycles { limit } => {
                write!(f, "the model had {limit} turns and did not finish; `Limits::max_cycles` allows more")
            }
            Self::Timeout { limit } => {
                write!(f, "the run did not finish within {limit:?}; `Limits::timeout` allows more")
            }
            Self::MaxToolCalls { limit, asked } => write!(
                f,
                "the model asked for {asked} calls of the {limit} that the run may make; `Limits::max_tool_calls` allows more"
            ),
            Self::TokenBudget { limit, used } => {
                write!(f, "the run took {used} tokens of the {limit} that `Limits::max_tokens` allows")
            }
            Self::CostBudget { limit, used } => {
                write!(f, "the run cost {used:.6} of the {limit:.6} that `Limits::max_cost` allows")
            }
            Self::CircuitOpen(circuit) => circuit.fmt(f),
            Self::PermissionDenied { tool } => write!(f, "the caller may not use the tool `{tool}`"),
            Self::EmptyReply { extra_calls: None } => f.write_str(
                "the model said nothing, and nothing again when asked once more; run the request again, or word it otherwise",
            ),
            Self::EmptyReply { extra_calls: Some(limit) } => {
                write!(f, "the model said nothing, and {}", NoneLeft(*limit))
            }
            Self::Truncated => {
                f.write_str("the model's reply was cut at its limit of tokens; raise that limit in the adapter")
            }
            Self::Unfinished { reason } => write!(
                f,
                "the model's reply ended for the reason {:?}, which is not known to be its end; the error has its text",
                cut(reason)
            ),
            Self::Refused { refusal } => write!(f, "the model refused: {refusal}"),
            Self::ContentFiltered => f.write_str(
                "a content filter took the model's reply; word the request otherwise, or change the filter at the provider",
            ),
            Self::Cancelled { reason } => write!(f, "the run was cancelled: {reason}"),
            Self::OutcomeUnknown { call_id, tool, .. } => write!(
                f,
                "nobody can tell whether the call {} of `{tool}` took effect; it is not repeated until an operator settles or releases it",
                cut(call_id.as_str())
            ),
            Self::KeyConflict { call_id, tool } => {
                write!(
                    f,
                    "the idempotency key of the call {} of `{tool}` was used for another call; give each request a run id of its own",
                    cut(call_id.as_str())
                )
            }
            Self::NotSaved { what } => {
                write!(
                    f,
                    "the run could not be saved: {what}; once the store works, the same run id goes on from there"
                )
            }
            Self::Owned { run_id } => {
                write!(f, "the run `{run_id}` is being driven elsewhere; it can be taken up once that has stopped")
            }
            Self::NoAnswer { reason, extra_calls: None } => {
                write!(f, "the model gave no answer that counts: {reason}")
            }
            Self::NoAnswer { reason, extra_calls: Some(limit) } => {
                write!(f, "the model gave no answer that counts: {} Then {}", sentence(reason), NoneLeft(*limit))
            }
            Self::Suspended(_) => f.write_str("the run waits for people to decide; take it up with `Agent::resume`, and `decide` on each call that waits"),
            Self::NotResumed { what, .. } => write!(f, "the run was not taken up: {what}"),
            Self::ModelFailed(failure) => write!(f, "the model gave no reply: {}", failure.message),
            Self::Invalid { what } => write!(f, "the run could not begin: {what}"),
        }
    }
}

/// No request beyond the turns was left, of so many.
struct NoneLeft(u32);

impl fmt::Display for NoneLeft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(limit) = self;
        write!(f, "none of its {limit} extra calls was left to ask once more; `Limits::max_extra_calls` allows more")
    }
}

impl fmt::Display for Circuit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::RepeatedError { tool, code, turns } => write!(
                f,
                "the model made the same mistake with `{tool}` ({code}) in {turns} turns; `Limits::repeat_errors` allows more"
            ),
            Self::RepeatedRead { tool, turns } => write!(
                f,
                "the model made the same call of `{tool}` in {turns} turns; `Limits::repeat_reads` allows more"
            ),
            Self::InvalidTurns { turns } => {
                write!(f, "the model made invalid calls in {turns} turns in a row; `Limits::invalid_turns` allows more")
            }
        }
    }
}
