//! What became of a call: one result for every call id, whatever happened.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::outcome::{cancelled, cut, held_back};
use crate::model::{CallId, ToolCall};

/// The codes that the framework itself gives; a tool's business errors have codes of their own.
pub mod code {
    /// No tool has the name.
    pub const UNKNOWN_TOOL: &str = "UNKNOWN_TOOL";
    /// The caller may not use the tool.
    pub const UNAUTHORIZED: &str = "UNAUTHORIZED";
    /// A person refused the call.
    pub const APPROVAL_REJECTED: &str = "APPROVAL_REJECTED";
    /// The arguments are not JSON.
    pub const MALFORMED_JSON: &str = "MALFORMED_JSON";
    /// The arguments do not fit the schema.
    pub const SCHEMA_VALIDATION_FAILED: &str = "SCHEMA_VALIDATION_FAILED";
    /// A tool that only reads took longer than it may.
    pub const TOOL_TIMEOUT: &str = "TOOL_TIMEOUT";
    /// A tool that only reads panicked.
    pub const TOOL_PANICKED: &str = "TOOL_PANICKED";
    /// The tool failed.
    pub const INTERNAL_EXECUTION_FAILURE: &str = "INTERNAL_EXECUTION_FAILURE";
    /// A mutating call may or may not have had its effect.
    pub const OUTCOME_UNKNOWN: &str = "OUTCOME_UNKNOWN";
    /// The call is done and its result cannot be written as JSON.
    pub const RESULT_UNREADABLE: &str = "RESULT_UNREADABLE";
    /// The same call is running elsewhere.
    pub const CALL_IN_FLIGHT: &str = "CALL_IN_FLIGHT";
    /// The idempotency store could not be asked, and the call was not run. Where only the answer was lost the claim is
    /// there: the same call is then in flight for the length of a lease, and unknown after it.
    pub const STORE_UNAVAILABLE: &str = "STORE_UNAVAILABLE";
    /// The audit could not be told that the call is made.
    pub const AUDIT_UNAVAILABLE: &str = "AUDIT_UNAVAILABLE";
    /// The idempotency key was used for another call.
    pub const KEY_CONFLICT: &str = "KEY_CONFLICT";
    /// A limit on calls is reached.
    pub const LIMIT_REACHED: &str = "LIMIT_REACHED";
    /// The call was held back by something else in its turn.
    pub const NOT_RUN: &str = "NOT_RUN";
    /// The host did not take the answer.
    pub const ANSWER_REJECTED: &str = "ANSWER_REJECTED";
    /// The run was cancelled before the call ran.
    pub const CANCELLED: &str = "CANCELLED";
}

/// The result of one call.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolResult {
    status: Status,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    data: Option<Box<RawValue>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<ErrorBody>,
    metadata: Metadata,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Status {
    /// With a value.
    Success,
    /// Its arguments were wrong.
    ValidationError,
    /// A rule of the domain was broken.
    BusinessError,
    /// It was not allowed.
    PermissionDenied,
    /// It failed, or was not run.
    FatalError,
}

impl Status {
    /// The status in snake case.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Success => "success",
            Self::ValidationError => "validation_error",
            Self::BusinessError => "business_error",
            Self::PermissionDenied => "permission_denied",
            Self::FatalError => "fatal_error",
        }
    }
}

/// Why a call gave no value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ErrorBody {
    /// One of [`code`], or the tool's own.
    pub code: String,
    /// What happened, and what to do.
    pub message: String,
    /// Facts: the problems of the arguments, the details of a business error, the cause of an unknown outcome.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
}

/// Which call the result belongs to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Metadata {
    /// The tool's name, as the model wrote it; only the first 128 bytes of a longer one.
    pub tool_name: String,
    /// The call's id, whatever its length.
    pub tool_call_id: CallId,
    /// How long it took, in milliseconds: with its checks where [`dispatch`](crate::Toolbox::dispatch) made them, without
    /// them in a run, which checks all calls of a turn before any runs.
    pub latency_ms: u64,
    /// The key under which the effect happens once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
    /// Whether this is the result of an earlier call, given again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replayed: bool,
    /// How often the tool's function was tried by the framework; 0 where it was not run.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub attempts: u32,
    /// The arguments that the call ran with, where a person changed them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited_arguments: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature that serde asks for")]
fn is_zero(n: &u32) -> bool {
    *n == 0
}

impl ToolResult {
    /// A value.
    pub(crate) fn success(call: &ToolCall, data: Box<RawValue>) -> Self {
        Self { status: Status::Success, data: Some(data), error: None, metadata: Metadata::of(call) }
    }

    /// No value.
    pub(crate) fn error(
        call: &ToolCall,
        status: Status,
        code: impl Into<String>,
        message: impl Into<String>,
        details: Option<Value>,
    ) -> Self {
        let error = ErrorBody { code: code.into(), message: message.into(), details };
        Self { status, data: None, error: Some(error), metadata: Metadata::of(call) }
    }

    /// A call that whoever drives a run held back. `why` ends the sentence "The call was not run: ..", `advice` tells the
    /// model what to do.
    ///
    /// ```
    /// use agent_core::ToolResult;
    /// use agent_core::model::ToolCall;
    /// let call = ToolCall::new("call_1", "look", "{}");
    /// let result = ToolResult::not_run(&call, "the server is about to stop.", "Make it again later.");
    /// assert_eq!(result.code(), Some("NOT_RUN"));
    /// ```
    pub fn not_run(call: &ToolCall, why: &str, advice: &str) -> Self {
        held_back(call, code::NOT_RUN, why, advice)
    }

    /// A call that ended, or did not begin, since its run was cancelled. Not for a mutating call that has begun: of that
    /// one nobody knows.
    pub fn cancelled(call: &ToolCall) -> Self {
        cancelled(call)
    }

    pub(crate) fn with_latency(mut self, latency: Duration) -> Self {
        self.metadata.latency_ms = u64::try_from(latency.as_millis()).unwrap_or(u64::MAX);
        self
    }

    pub(crate) fn with_key(mut self, key: Option<String>) -> Self {
        self.metadata.idempotency_key = key;
        self
    }

    pub(crate) fn with_replayed(mut self, replayed: bool) -> Self {
        self.metadata.replayed = replayed;
        self
    }

    pub(crate) fn with_attempts(mut self, attempts: u32) -> Self {
        self.metadata.attempts = attempts;
        self
    }

    pub(crate) fn set_edited(&mut self, arguments: Option<String>) {
        self.metadata.edited_arguments = arguments;
    }

    /// How the call ended.
    pub fn status(&self) -> Status {
        self.status
    }

    /// Whether it ended with a value.
    pub fn is_success(&self) -> bool {
        self.status == Status::Success
    }

    /// Whether it ended in this way with this code; a tool's own code may read like one of [`code`].
    pub(crate) fn is(&self, status: Status, code: &str) -> bool {
        self.status == status && self.code() == Some(code)
    }

    /// The value, as JSON text.
    pub fn data(&self) -> Option<&RawValue> {
        self.data.as_deref()
    }

    /// Why there is no value.
    pub fn error_body(&self) -> Option<&ErrorBody> {
        self.error.as_ref()
    }

    /// The code of the error.
    pub fn code(&self) -> Option<&str> {
        self.error.as_ref().map(|error| error.code.as_str())
    }

    /// Which call it belongs to.
    pub fn metadata(&self) -> &Metadata {
        &self.metadata
    }
}

/// Two results are equal when they say the same; the value is compared as text.
impl PartialEq for ToolResult {
    fn eq(&self, other: &Self) -> bool {
        self.status == other.status
            && self.data.as_ref().map(|data| data.get()) == other.data.as_ref().map(|data| data.get())
            && self.error == other.error
            && self.metadata == other.metadata
    }
}

impl Metadata {
    fn of(call: &ToolCall) -> Self {
        Self {
            tool_name: cut(&call.name).to_owned(),
            tool_call_id: call.id.clone(),
            latency_ms: 0,
            idempotency_key: None,
            replayed: false,
            attempts: 0,
            edited_arguments: None,
        }
    }
}
