//! Status and names to a kind.

use agent_core::model::ModelErrorKind::{self, *};
use reqwest::StatusCode;

use super::Fault;

/// What an error means for the caller.
pub(super) struct Verdict {
    pub(super) kind: ModelErrorKind,
    pub(super) retryable: bool,
    /// What the server did.
    pub(super) failed: &'static str,
    /// What to do about it.
    pub(super) advice: &'static str,
}

/// The kind of an error. A name that says exactly what is wrong goes first, then the status, then a
/// name that says it roughly; `invalid_request_error`, for one, comes with wrong keys as well.
pub(super) fn verdict(status: StatusCode, fault: &Fault) -> Verdict {
    let status = if status.is_success() { fault.status() } else { Some(status.as_u16()) };
    let (kind, retryable) = fault
        .names()
        .find_map(exact)
        .or_else(|| status.and_then(by_status))
        .or_else(|| fault.names().find_map(rough))
        .unwrap_or((Server, true));
    let kind = match kind {
        InvalidRequest if fault.words().is_some_and(is_context) => ContextLength,
        kind => kind,
    };
    let (failed, advice) = said(kind, retryable);
    Verdict { kind, retryable, failed, advice }
}

fn exact(name: &str) -> Option<(ModelErrorKind, bool)> {
    Some(match name.to_ascii_lowercase().as_str() {
        "content_filter" | "content_policy_violation" | "responsibleaipolicyviolation" | "moderation_blocked" => {
            (ContentFilter, false)
        }
        "context_length_exceeded" | "exceed_context_size_error" | "context_window_exceeded" | "request_too_large" => {
            (ContextLength, false)
        }
        "insufficient_quota" | "billing_hard_limit_reached" | "billing_not_active" | "billing_error" => {
            (RateLimit, false)
        }
        "invalid_api_key" | "authentication_error" | "permission_error" | "unauthenticated" | "permission_denied" => {
            (Auth, false)
        }
        "model_not_found" | "not_found_error" => (NotFound, false),
        "overloaded_error" | "engine_overloaded" => (Overloaded, true),
        "rate_limit_exceeded" | "rate_limit_error" => (RateLimit, true),
        // The model's doing and not the caller's: it wrote a call that the server could not read.
        "tool_use_failed" => (InvalidRequest, true),
        _ => return None,
    })
}

fn by_status(status: u16) -> Option<(ModelErrorKind, bool)> {
    Some(match status {
        401 | 403 => (Auth, false),
        402 => (RateLimit, false),
        404 | 410 => (NotFound, false),
        408 => (Timeout, true),
        409 => (Server, true),
        413 => (ContextLength, false),
        425 | 429 => (RateLimit, true),
        503 | 529 => (Overloaded, true),
        400..=499 => (InvalidRequest, false),
        501 | 505 => (Server, false),
        500..=599 => (Server, true),
        _ => return None,
    })
}

fn rough(name: &str) -> Option<(ModelErrorKind, bool)> {
    Some(match name.to_ascii_lowercase().as_str() {
        "invalid_request_error" | "invalid_argument" | "badrequesterror" | "bad_request" => (InvalidRequest, false),
        "resource_exhausted" | "too_many_requests" => (RateLimit, true),
        "not_found" => (NotFound, false),
        "unavailable" | "unavailable_error" | "overloaded" => (Overloaded, true),
        _ => return None,
    })
}

/// Servers without a code for it say it in words; the caller can shorten the conversation, so it
/// is worth to read them.
fn is_context(words: &str) -> bool {
    let words = words.to_ascii_lowercase();
    ["maximum context length", "context window", "context size", "context length", "prompt is too long"]
        .iter()
        .any(|phrase| words.contains(phrase))
}

fn said(kind: ModelErrorKind, retryable: bool) -> (&'static str, &'static str) {
    match kind {
        Auth => ("refused the key", "check the key and what it may do"),
        RateLimit if retryable => ("limits the rate of requests", "ask again later or more slowly"),
        RateLimit => ("has no credit left for this key", "check its plan and billing"),
        ContextLength => ("finds the conversation too long", "shorten it or take a model that reads more"),
        ContentFilter => ("filtered the request", "change what is asked"),
        NotFound => ("does not know this model or address", "check the model's name and the base URL"),
        InvalidRequest if retryable => ("could not use what the model wrote", "ask again"),
        InvalidRequest => ("refused the request", "correct what it names"),
        Overloaded => ("has too much to do", "ask again later"),
        _ => ("failed", "ask again later"),
    }
}
