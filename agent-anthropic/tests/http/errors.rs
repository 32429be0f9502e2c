//! What servers refuse, and how it is told.

use agent_core::model::{Message, Model, ModelError, ModelErrorKind as Kind, Request};
use serde_json::{Value, json};

use crate::server::{Answer, Server};

async fn refused(status: u16, name: &str, words: &str) -> ModelError {
    told(Answer::json(status, &json!({"type": "error", "error": {"type": name, "message": words}}))).await
}

async fn told(answer: Answer) -> ModelError {
    let server = Server::new([answer]).await;
    let model = server.builder().max_retries(0).build().unwrap();
    model.reply(Request::new(&[Message::user("?")])).await.unwrap_err()
}

#[tokio::test]
async fn each_error_has_its_kind() {
    for (status, name, words, kind, retryable) in [
        (400, "invalid_request_error", "no", Kind::InvalidRequest, false),
        (
            400,
            "invalid_request_error",
            "prompt is too long: 208310 tokens > 200000 maximum",
            Kind::ContextLength,
            false,
        ),
        (401, "authentication_error", "no", Kind::Auth, false),
        (402, "billing_error", "no", Kind::RateLimit, false),
        (403, "permission_error", "no", Kind::Auth, false),
        (404, "not_found_error", "model: x", Kind::NotFound, false),
        (413, "request_too_large", "no", Kind::ContextLength, false),
        (429, "rate_limit_error", "no", Kind::RateLimit, true),
        (500, "api_error", "no", Kind::Server, true),
        (504, "timeout_error", "no", Kind::Server, true),
        (529, "overloaded_error", "no", Kind::Overloaded, true),
        (200, "overloaded_error", "no", Kind::Overloaded, true),
    ] {
        let error = refused(status, name, words).await;
        assert_eq!((error.kind(), error.is_retryable()), (kind, retryable), "{status} {name}");
        assert!(error.message().contains(words), "{error}");
    }
}

#[tokio::test]
async fn the_request_id_and_the_wait_are_told() {
    let body: Value = json!({"type": "error", "error": {"type": "rate_limit_error", "message": "slow"}});
    let answer = Answer::json(429, &body).header("request-id", "req_1").header("retry-after", "7");
    let error = told(answer).await;
    assert_eq!((error.get_request_id(), error.get_retry_after().unwrap().as_secs()), (Some("req_1"), 7));
}

#[tokio::test]
async fn what_is_no_message_says_which_api_was_expected() {
    let error = told(Answer::text(200, "application/json", "{\"hello\": 1}")).await;
    assert_eq!((error.kind(), error.is_retryable()), (Kind::MalformedResponse, false));
    assert!(error.message().contains("the base URL is that of a Messages API"), "{error}");
}
