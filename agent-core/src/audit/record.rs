//! What a record says.

use std::fmt;
use std::time::SystemTime;

use serde::Serialize;

use crate::dispatch::{Status, cut};
use crate::model::{CallId, ToolCall};
use crate::run::{Circuit, RunErrorKind};

/// One decision: who, in which run, about which call, and what.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct AuditRecord {
    /// When.
    #[serde(skip)]
    pub at: SystemTime,
    /// On behalf of which tenant.
    pub tenant: String,
    /// On behalf of which user.
    pub user: String,
    /// In which run.
    pub run_id: String,
    /// About which call; none where it is about the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<AuditCall>,
    /// What.
    #[serde(flatten)]
    pub event: AuditEvent,
}

impl AuditRecord {
    /// A record of this moment about a run.
    pub fn new(
        tenant: impl Into<String>,
        user: impl Into<String>,
        run_id: impl Into<String>,
        event: AuditEvent,
    ) -> Self {
        Self {
            at: SystemTime::now(),
            tenant: tenant.into(),
            user: user.into(),
            run_id: run_id.into(),
            call: None,
            event,
        }
    }

    /// About this call.
    #[must_use]
    pub fn about(mut self, call: AuditCall) -> Self {
        self.call = Some(call);
        self
    }
}

/// A call that a record is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct AuditCall {
    /// Its id, cut as the name is.
    pub call_id: CallId,
    /// The tool's name, as the model wrote it; only the first 128 bytes of a longer one.
    pub tool: String,
    /// Whether it changes something.
    pub mutating: bool,
    /// The key under which its effect happens once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// Its arguments, which neither `Debug` nor serde shows.
    #[serde(skip)]
    pub arguments: AuditArguments,
}

impl AuditCall {
    /// A call.
    pub fn new(call_id: CallId, tool: impl AsRef<str>, mutating: bool, arguments: impl Into<String>) -> Self {
        // A model can write a name of any length, and its server an id.
        let (call_id, tool) = (CallId::new(cut(call_id.as_str())), cut(tool.as_ref()).to_owned());
        Self { call_id, tool, mutating, key: None, arguments: AuditArguments(arguments.into()) }
    }

    pub(crate) fn of(call: &ToolCall, mutating: bool) -> Self {
        Self::new(call.id.clone(), &call.name, mutating, &*call.arguments)
    }

    /// With the key under which its effect happens once.
    #[must_use]
    pub fn key(mut self, key: Option<String>) -> Self {
        self.key = key;
        self
    }
}

/// The arguments of a call, as text; `Debug` shows only how long they are.
#[derive(Clone, PartialEq, Eq)]
pub struct AuditArguments(String);

impl AuditArguments {
    /// The text: what the model wrote, or what a person put in its place.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for AuditArguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AuditArguments({} bytes)", self.0.len())
    }
}

/// What a record is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "event", rename_all = "snake_case")]
#[non_exhaustive]
pub enum AuditEvent {
    /// A run began, or was taken up.
    RunStarted {
        /// Whether it was taken up where it had been left.
        resumed: bool,
    },
    /// A run ended, or was suspended.
    RunEnded {
        /// `answered`, or [`RunErrorKind::as_str`].
        reason: String,
        /// The bound that it met.
        #[serde(skip_serializing_if = "Option::is_none")]
        bound: Option<Bound>,
    },
    /// A run that has ended was asked for again under its id, and its stored end was given.
    StoredEnd {
        /// `answered`, or [`RunErrorKind::as_str`].
        reason: String,
    },
    /// A run was not begun, or not taken up.
    RunRefused {
        /// Why: `another_user` or `another_prompt`, where its id belongs to such a run; otherwise
        /// [`RunErrorKind::as_str`].
        cause: String,
    },
    /// The model was offered tools.
    Offered {
        /// Their names.
        tools: Vec<String>,
    },
    /// A call was not allowed.
    Denied {
        /// The code that the model was told.
        code: String,
    },
    /// A call was wrong: no such tool, arguments that do not fit or could not be read, an answer that was not taken.
    Invalid {
        /// The code that the model was told.
        code: String,
    },
    /// A mutating call that every gate had let through did not run.
    NotRun {
        /// The code that the model was told: `KEY_CONFLICT`, `CALL_IN_FLIGHT`, `STORE_UNAVAILABLE` or `AUDIT_UNAVAILABLE`.
        code: String,
    },
    /// A person allowed a call.
    Approved {
        /// Who.
        by: String,
    },
    /// A person allowed a call with other arguments; the record has the new ones.
    Edited {
        /// Who.
        by: String,
    },
    /// A person refused a call.
    Rejected {
        /// Who.
        by: String,
    },
    /// A mutating call is about to run: nobody else has run it, or it may be repeated.
    Claimed,
    /// A call has run.
    Executed {
        /// How it ended.
        status: Status,
        /// The code of its error.
        #[serde(skip_serializing_if = "Option::is_none")]
        code: Option<String>,
        /// How often it was tried.
        attempts: u32,
    },
    /// An earlier result was given again, and nothing ran.
    Replayed,
    /// Nobody can tell whether a mutating call took effect, or its claim could not be released. Told once of a call.
    Unknown {
        /// Why; `not released` where it did not happen and its claim is held until it becomes unknown.
        cause: String,
    },
    /// How a mutating call ended is kept: it happened.
    Settled,
    /// A mutating call that was claimed did not happen, and may be made again.
    Released,
}

impl AuditEvent {
    /// A run ended with an answer, or for this reason.
    pub fn run_ended(error: Option<&RunErrorKind>) -> Self {
        Self::RunEnded { reason: reason(error), bound: error.and_then(Bound::of) }
    }

    pub(crate) fn stored_end(error: Option<&RunErrorKind>) -> Self {
        Self::StoredEnd { reason: reason(error) }
    }

    /// Its name in snake case, as serde writes it.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::RunStarted { .. } => "run_started",
            Self::RunEnded { .. } => "run_ended",
            Self::StoredEnd { .. } => "stored_end",
            Self::RunRefused { .. } => "run_refused",
            Self::Offered { .. } => "offered",
            Self::Denied { .. } => "denied",
            Self::Invalid { .. } => "invalid",
            Self::NotRun { .. } => "not_run",
            Self::Approved { .. } => "approved",
            Self::Edited { .. } => "edited",
            Self::Rejected { .. } => "rejected",
            Self::Claimed => "claimed",
            Self::Executed { .. } => "executed",
            Self::Replayed => "replayed",
            Self::Unknown { .. } => "unknown",
            Self::Settled => "settled",
            Self::Released => "released",
        }
    }
}

fn reason(error: Option<&RunErrorKind>) -> String {
    error.map_or("answered", RunErrorKind::as_str).to_owned()
}

/// A bound that a run met.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Bound {
    /// Its name, as in `Limits`.
    pub name: &'static str,
    /// What was allowed, where the run knows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<String>,
    /// What was reached, where it is more than the limit says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
}

impl Bound {
    /// The bound that ended a run for this reason, if one did.
    pub fn of(error: &RunErrorKind) -> Option<Self> {
        let bound = |name, limit: Option<String>, value: Option<String>| Some(Self { name, limit, value });
        match error {
            RunErrorKind::MaxCycles { limit } => bound("max_cycles", Some(limit.to_string()), None),
            RunErrorKind::Timeout { limit } => bound("timeout", Some(format!("{limit:?}")), None),
            RunErrorKind::MaxToolCalls { limit, asked } => {
                bound("max_tool_calls", Some(limit.to_string()), Some(asked.to_string()))
            }
            RunErrorKind::TokenBudget { limit, used } => {
                bound("max_tokens", Some(limit.to_string()), Some(used.to_string()))
            }
            RunErrorKind::CostBudget { limit, used } => {
                bound("max_cost", Some(limit.to_string()), Some(used.to_string()))
            }
            RunErrorKind::EmptyReply { extra_calls: Some(limit) }
            | RunErrorKind::NoAnswer { extra_calls: Some(limit), .. } => {
                bound("max_extra_calls", Some(limit.to_string()), None)
            }
            RunErrorKind::CircuitOpen(Circuit::RepeatedError { turns, .. }) => {
                bound("repeat_errors", None, Some(turns.to_string()))
            }
            RunErrorKind::CircuitOpen(Circuit::RepeatedRead { turns, .. }) => {
                bound("repeat_reads", None, Some(turns.to_string()))
            }
            RunErrorKind::CircuitOpen(Circuit::InvalidTurns { turns }) => {
                bound("invalid_turns", None, Some(turns.to_string()))
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neither_debug_nor_serde_shows_arguments() {
        let call = AuditCall::new(CallId::new("c1"), "transfer", true, r#"{"pin":"1234"}"#);
        let record = AuditRecord::new("t", "u", "r", AuditEvent::Claimed).about(call);
        assert!(!format!("{record:?}").contains("1234"));
        let text = serde_json::to_string(&record).unwrap();
        assert_eq!(
            text,
            r#"{"tenant":"t","user":"u","run_id":"r","call":{"call_id":"c1","tool":"transfer","mutating":true},"event":"claimed"}"#
        );
    }

    #[test]
    fn a_name_or_an_id_of_any_length_is_cut() {
        let long = "ä".repeat(1 << 20);
        let call = AuditCall::new(CallId::new(&*long), &long, true, "{}");
        assert_eq!((call.call_id.as_str().len(), call.tool.len()), (128, 128));
    }

    #[test]
    fn the_end_of_a_run_has_the_bound_and_the_value_reached() {
        let error = RunErrorKind::TokenBudget { limit: 1_000, used: 1_200 };
        let text = serde_json::to_string(&AuditEvent::run_ended(Some(&error))).unwrap();
        assert_eq!(
            text,
            r#"{"event":"run_ended","reason":"token_budget","bound":{"name":"max_tokens","limit":"1000","value":"1200"}}"#
        );
        let error = RunErrorKind::NoAnswer { reason: "it is empty".to_owned(), extra_calls: Some(4) };
        let bound = Bound { name: "max_extra_calls", limit: Some("4".to_owned()), value: None };
        assert_eq!(Bound::of(&error), Some(bound));
        assert_eq!(AuditEvent::run_ended(None), AuditEvent::RunEnded { reason: "answered".to_owned(), bound: None });
    }

    #[test]
    fn each_event_is_written_under_its_name() {
        let by = || "ada".to_owned();
        for event in [
            AuditEvent::RunStarted { resumed: false },
            AuditEvent::run_ended(None),
            AuditEvent::StoredEnd { reason: by() },
            AuditEvent::RunRefused { cause: by() },
            AuditEvent::Offered { tools: Vec::new() },
            AuditEvent::Denied { code: by() },
            AuditEvent::Invalid { code: by() },
            AuditEvent::NotRun { code: by() },
            AuditEvent::Approved { by: by() },
            AuditEvent::Edited { by: by() },
            AuditEvent::Rejected { by: by() },
            AuditEvent::Claimed,
            AuditEvent::Executed { status: Status::Success, code: None, attempts: 1 },
            AuditEvent::Replayed,
            AuditEvent::Unknown { cause: by() },
            AuditEvent::Settled,
            AuditEvent::Released,
        ] {
            assert_eq!(serde_json::to_value(&event).unwrap()["event"], event.as_str());
        }
    }
}
