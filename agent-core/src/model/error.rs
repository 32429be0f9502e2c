//! Why a model gave no reply.

use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::reply::FailedModel;

/// Why a model gave no reply.
#[derive(Debug)]
pub struct ModelError {
    inner: Box<Inner>,
}

#[derive(Debug)]
struct Inner {
    kind: ModelErrorKind,
    message: String,
    retryable: bool,
    retry_after: Option<Duration>,
    status: Option<u16>,
    request_id: Option<String>,
    partial_text: Option<String>,
    attempts: u32,
    source: Option<Box<dyn StdError + Send + Sync>>,
}

/// What kind of failure it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ModelErrorKind {
    /// The key is missing, wrong or not allowed to do this.
    Auth,
    /// Too many requests or tokens, or no credit.
    RateLimit,
    /// The request is one that the server will never take.
    InvalidRequest,
    /// The conversation is longer than the model can read.
    ContextLength,
    /// The server failed.
    Server,
    /// The server has too much to do.
    Overloaded,
    /// A filter refused the request.
    ContentFilter,
    /// There is no such model or address.
    NotFound,
    /// The answer is not one of this format.
    MalformedResponse,
    /// The stream ended before its end.
    StreamInterrupted,
    /// No answer within the time allowed.
    Timeout,
    /// The server could not be reached, or the connection broke.
    Connection,
    /// The adapter itself broke down.
    Panicked,
}

impl ModelErrorKind {
    /// The kind in snake case, as in logs and records.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Auth => "auth",
            Self::RateLimit => "rate_limit",
            Self::InvalidRequest => "invalid_request",
            Self::ContextLength => "context_length",
            Self::Server => "server",
            Self::Overloaded => "overloaded",
            Self::ContentFilter => "content_filter",
            Self::NotFound => "not_found",
            Self::MalformedResponse => "malformed_response",
            Self::StreamInterrupted => "stream_interrupted",
            Self::Timeout => "timeout",
            Self::Connection => "connection",
            Self::Panicked => "panicked",
        }
    }

    /// Whether the same request may succeed later, as far as the kind tells.
    pub const fn is_transient(self) -> bool {
        matches!(
            self,
            Self::RateLimit
                | Self::Server
                | Self::Overloaded
                | Self::MalformedResponse
                | Self::StreamInterrupted
                | Self::Timeout
                | Self::Connection
        )
    }
}

impl ModelError {
    /// An error of this kind; `message` says what failed, with the server's own words where it has any, never a key.
    pub fn new(kind: ModelErrorKind, message: impl Into<String>) -> Self {
        let inner = Inner {
            kind,
            message: message.into(),
            retryable: kind.is_transient(),
            retry_after: None,
            status: None,
            request_id: None,
            partial_text: None,
            attempts: 1,
            source: None,
        };
        Self { inner: Box::new(inner) }
    }

    /// Says whether the same request may succeed later, where the server's answer tells more than the kind.
    #[must_use]
    pub fn retryable(mut self, retryable: bool) -> Self {
        self.inner.retryable = retryable;
        self
    }

    /// The time after which the server asks to be tried again.
    #[must_use]
    pub fn retry_after(mut self, after: Option<Duration>) -> Self {
        self.inner.retry_after = after;
        self
    }

    /// The HTTP status.
    #[must_use]
    pub fn status(mut self, status: Option<u16>) -> Self {
        self.inner.status = status;
        self
    }

    /// The server's id of the request.
    #[must_use]
    pub fn request_id(mut self, id: Option<String>) -> Self {
        self.inner.request_id = id;
        self
    }

    /// The text that had arrived.
    #[must_use]
    pub fn partial_text(mut self, text: Option<String>) -> Self {
        self.inner.partial_text = text;
        self
    }

    /// How many requests were sent in all.
    #[must_use]
    pub fn attempts(mut self, attempts: u32) -> Self {
        self.inner.attempts = attempts;
        self
    }

    /// The cause.
    #[must_use]
    pub fn caused_by(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.inner.source = Some(source.into());
        self
    }

    /// Says which models were asked before, and could not answer.
    pub(super) fn after(mut self, failed: &[FailedModel]) -> Self {
        for FailedModel { model, kind, attempts } in failed {
            self.inner.message += &format!("; before it, {model} failed: {}", kind.as_str());
            self.inner.attempts = self.inner.attempts.saturating_add(*attempts);
        }
        self
    }

    /// The kind.
    pub fn kind(&self) -> ModelErrorKind {
        self.inner.kind
    }

    /// What failed.
    pub fn message(&self) -> &str {
        &self.inner.message
    }

    /// Whether the same request may succeed later.
    pub fn is_retryable(&self) -> bool {
        self.inner.retryable
    }

    /// See [`retry_after`](Self::retry_after).
    pub fn get_retry_after(&self) -> Option<Duration> {
        self.inner.retry_after
    }

    /// See [`status`](Self::status).
    pub fn get_status(&self) -> Option<u16> {
        self.inner.status
    }

    /// See [`request_id`](Self::request_id).
    pub fn get_request_id(&self) -> Option<&str> {
        self.inner.request_id.as_deref()
    }

    /// See [`partial_text`](Self::partial_text).
    pub fn get_partial_text(&self) -> Option<&str> {
        self.inner.partial_text.as_deref()
    }

    /// See [`attempts`](Self::attempts).
    pub fn get_attempts(&self) -> u32 {
        self.inner.attempts
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.inner.kind.as_str(), self.inner.message)?;
        if let Some(status) = self.inner.status {
            write!(f, " (HTTP {status})")?;
        }
        if let Some(id) = &self.inner.request_id {
            write!(f, " (request {id})")?;
        }
        Ok(())
    }
}

impl StdError for ModelError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.inner.source.as_deref().map(|source| source as _)
    }
}
