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

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn verdict_of(status: u16, body: &serde_json::Value) -> (ModelErrorKind, bool) {
        let verdict = verdict(StatusCode::from_u16(status).unwrap(), &Fault::of(body.clone()));
        (verdict.kind, verdict.retryable)
    }

    #[test]
    fn each_status_alone_means_what_the_table_says() {
        for (status, kind, retryable) in [
            (400, InvalidRequest, false),
            (401, Auth, false),
            (402, RateLimit, false),
            (403, Auth, false),
            (404, NotFound, false),
            (405, InvalidRequest, false),
            (408, Timeout, true),
            (409, Server, true),
            (410, NotFound, false),
            (413, ContextLength, false),
            (422, InvalidRequest, false),
            (425, RateLimit, true),
            (429, RateLimit, true),
            (500, Server, true),
            (501, Server, false),
            (502, Server, true),
            (503, Overloaded, true),
            (504, Server, true),
            (505, Server, false),
            (529, Overloaded, true),
            (599, Server, true),
        ] {
            assert_eq!(verdict_of(status, &json!({})), (kind, retryable), "{status}");
            // The same where a stream that began well says it in its body.
            assert_eq!(verdict_of(200, &json!({"error": {"code": status}})), (kind, retryable), "{status} in a 200");
            assert_eq!(verdict_of(200, &json!({"error": {"code": status.to_string()}})), (kind, retryable), "{status}");
        }
        assert_eq!(verdict_of(200, &json!({"error": {"message": "oh"}})), (Server, true));
    }

    #[test]
    fn a_name_that_says_exactly_what_is_wrong_goes_before_any_status() {
        for (name, kind, retryable) in [
            ("content_filter", ContentFilter, false),
            ("content_policy_violation", ContentFilter, false),
            ("ResponsibleAIPolicyViolation", ContentFilter, false),
            ("moderation_blocked", ContentFilter, false),
            ("context_length_exceeded", ContextLength, false),
            ("exceed_context_size_error", ContextLength, false),
            ("context_window_exceeded", ContextLength, false),
            ("request_too_large", ContextLength, false),
            ("insufficient_quota", RateLimit, false),
            ("billing_hard_limit_reached", RateLimit, false),
            ("billing_not_active", RateLimit, false),
            ("billing_error", RateLimit, false),
            ("invalid_api_key", Auth, false),
            ("authentication_error", Auth, false),
            ("permission_error", Auth, false),
            ("UNAUTHENTICATED", Auth, false),
            ("PERMISSION_DENIED", Auth, false),
            ("model_not_found", NotFound, false),
            ("not_found_error", NotFound, false),
            ("overloaded_error", Overloaded, true),
            ("engine_overloaded", Overloaded, true),
            ("rate_limit_exceeded", RateLimit, true),
            ("rate_limit_error", RateLimit, true),
            ("tool_use_failed", InvalidRequest, true),
        ] {
            for (status, place) in [(418, "code"), (500, "type"), (200, "status")] {
                let body = json!({"error": {"message": "m", (place): name}});
                assert_eq!(verdict_of(status, &body), (kind, retryable), "{name} as {place} of {status}");
            }
        }
    }

    #[test]
    fn the_inner_error_of_azure_names_what_its_code_does_not() {
        let inner = json!({"code": "ResponsibleAIPolicyViolation"});
        for error in [
            json!({"code": "other", "innererror": inner}),
            json!({"code": "400", "provider_specific_fields": {"innererror": inner}}),
        ] {
            assert_eq!(verdict_of(400, &json!({"error": error})), (ContentFilter, false));
        }
    }

    #[test]
    fn a_name_that_says_it_roughly_counts_where_no_status_does() {
        for (name, kind, retryable) in [
            ("invalid_request_error", InvalidRequest, false),
            ("INVALID_ARGUMENT", InvalidRequest, false),
            ("BadRequestError", InvalidRequest, false),
            ("bad_request", InvalidRequest, false),
            ("RESOURCE_EXHAUSTED", RateLimit, true),
            ("too_many_requests", RateLimit, true),
            ("not_found", NotFound, false),
            ("UNAVAILABLE", Overloaded, true),
            ("unavailable_error", Overloaded, true),
            ("overloaded", Overloaded, true),
        ] {
            let body = json!({"error": {"message": "m", "type": name}});
            assert_eq!(verdict_of(200, &body), (kind, retryable), "{name}");
            assert_eq!(verdict_of(401, &body), (Auth, false), "{name}: the status says more");
        }
    }

    #[test]
    fn words_tell_a_conversation_that_is_too_long_and_only_where_the_request_is_at_fault() {
        for words in [
            "This model's maximum context length is 8192 tokens.",
            "Your input exceeds the context window of this model.",
            "the request exceeds the available context size",
            "The context length exceeded",
            "prompt is too long: 210000 tokens",
        ] {
            let body = json!({"error": {"message": words}});
            assert_eq!(verdict_of(400, &body), (ContextLength, false), "{words}");
            assert_eq!(verdict_of(500, &body), (Server, true), "{words}");
            let named = json!({"error": {"message": words, "type": "BadRequestError"}});
            assert_eq!(verdict_of(200, &named), (ContextLength, false), "{words}");
        }
        assert_eq!(verdict_of(400, &json!({"error": {"message": "no such field"}})), (InvalidRequest, false));
    }

    #[test]
    fn each_kind_is_told_in_its_own_words_with_what_to_do() {
        let mut told = Vec::new();
        for (kind, retryable) in [
            (Auth, false),
            (RateLimit, true),
            (RateLimit, false),
            (ContextLength, false),
            (ContentFilter, false),
            (NotFound, false),
            (InvalidRequest, true),
            (InvalidRequest, false),
            (Overloaded, true),
            (Server, true),
        ] {
            let words = said(kind, retryable);
            assert!(!told.contains(&words), "{kind:?} is told as another");
            told.push(words);
        }
    }
}
