//! What servers refuse, and how it is told.

use agent_core::model::{Message, Model, ModelError, ModelErrorKind as Kind, Request};
use serde_json::{Value, json};

use crate::server::{Answer, Server};

async fn error(answer: Answer) -> ModelError {
    let server = Server::new([answer]).await;
    let model = server.builder().max_retries(0).build().unwrap();
    model.reply(Request::new(&[Message::user("?")])).await.unwrap_err()
}

async fn refused(status: u16, body: Value) -> ModelError {
    error(Answer::json(status, &body)).await
}

#[tokio::test]
async fn an_error_says_where_what_and_what_to_do() {
    let body =
        json!({"error": {"message": "No such\nmodel: x", "type": "invalid_request_error", "code": "model_not_found"}});
    let error = error(Answer::json(404, &body).header("x-request-id", "req-7")).await;
    let text = error.to_string();
    assert!(text.starts_with("not_found: http://127.0.0.1:"), "{text}");
    for part in ["/v1 does not know this model or address: No such model: x; check", "(HTTP 404)", "(request req-7)"] {
        assert!(text.contains(part), "{text}");
    }
    assert_eq!((error.kind(), error.get_request_id(), error.is_retryable()), (Kind::NotFound, Some("req-7"), false));
}

#[tokio::test]
async fn names_go_before_the_status_and_the_status_before_rough_names() {
    for (status, error, kind, retryable) in [
        (400, json!({"code": "context_length_exceeded"}), Kind::ContextLength, false),
        (400, json!({"code": "content_filter"}), Kind::ContentFilter, false),
        (401, json!({"type": "invalid_request_error"}), Kind::Auth, false),
        (429, json!({"type": "insufficient_quota"}), Kind::RateLimit, false),
        (429, json!({"type": "tokens", "code": "rate_limit_exceeded"}), Kind::RateLimit, true),
        (500, json!({"type": "server_error"}), Kind::Server, true),
        (529, json!({"type": "overloaded_error"}), Kind::Overloaded, true),
        (422, json!("odd"), Kind::InvalidRequest, false),
        (200, json!({"message": "later", "code": 429}), Kind::RateLimit, true),
        (200, json!({"message": "bad", "type": "invalid_request_error"}), Kind::InvalidRequest, false),
    ] {
        let told = refused(status, json!({"error": error})).await;
        assert_eq!((told.kind(), told.is_retryable()), (kind, retryable), "{status} {error}");
    }
}

#[tokio::test]
async fn the_server_may_say_whether_to_ask_again() {
    let told = error(Answer::json(500, &json!({})).header("x-should-retry", "false")).await;
    assert!(!told.is_retryable());
}

#[tokio::test]
async fn every_shape_of_an_error_body_gives_its_words() {
    for body in [
        json!({"error": {"message": "the words"}}),
        json!({"error": "the words"}),
        json!([{"error": {"message": "the words"}}]),
        json!({"object": "error", "message": "the words"}),
        json!({"detail": "the words"}),
        json!({"detail": [{"loc": ["body"], "msg": "the words"}]}),
        json!({"error": {"message": "{\"error\": {\"message\": \"the words\"}}"}}),
    ] {
        assert!(refused(400, body.clone()).await.message().contains(": the words;"), "{body}");
    }
    assert!(error(Answer::text(400, "text/plain", "the words\n")).await.message().contains("the words"));
    let page = "<html><head><title>the words</title></head></html>";
    assert!(error(Answer::text(502, "text/html", page)).await.message().contains("the words"));
}

#[tokio::test]
async fn long_words_are_cut_between_characters() {
    let told = refused(400, json!({"error": {"message": "\u{1f980}".repeat(4000)}})).await;
    assert!(told.message().len() < 1000 && told.message().contains("\u{1f980}.."));
}

#[tokio::test]
async fn what_is_no_reply_is_malformed() {
    for (body, part, retryable) in [
        ("", "is empty", true),
        ("{\"choices\": [", "is no JSON", true),
        ("<!doctype html><p>Hi", "web page", false),
        ("{\"hello\": 1}", "is no chat completion", false),
        ("{\"choices\": []}", "is no chat completion", false),
        ("internal error", "is no JSON", true),
        ("[]", "is no chat completion", false),
        ("7", "is no chat completion", false),
    ] {
        let told = error(Answer::text(200, "application/json", body)).await;
        assert_eq!((told.kind(), told.is_retryable()), (Kind::MalformedResponse, retryable), "{told}");
        assert!(told.message().contains(part), "{told}");
    }
}

#[tokio::test]
async fn an_answer_over_the_limit_is_not_read() {
    let server = Server::new([Answer::text(200, "application/json", vec![b' '; 2000])]).await;
    let model = server.builder().max_response_bytes(1000).build().unwrap();
    let told = model.reply(Request::new(&[Message::user("?")])).await.unwrap_err();
    assert_eq!((told.kind(), told.get_attempts()), (Kind::MalformedResponse, 1));
    assert!(told.message().contains("max_response_bytes"), "{told}");
}

#[tokio::test]
async fn nesting_without_end_is_an_error_and_no_overflow() {
    let deep = "[".repeat(200_000);
    for body in [deep.clone(), format!("{{\"choices\":[{{\"message\":{{\"content\":{deep}")] {
        let told = error(Answer::text(200, "application/json", body)).await;
        assert_eq!(told.kind(), Kind::MalformedResponse);
    }
}
