//! The limits of what is read hold on each way that it can come: whole or as events, whichever was asked for.

use agent_anthropic::Builder;
use agent_core::model::{Message, ModelError, ModelErrorKind as Kind, Request};
use serde_json::{Value, json};

use crate::server::{Answer, Server};
use crate::{ask, event};

/// A message with these blocks, whole and in the first event of a stream.
fn bodies(blocks: &Value) -> [String; 2] {
    let message = json!({"type": "message", "content": blocks, "stop_reason": "end_turn"});
    let start = event(&json!({"type": "message_start", "message": message}));
    [message.to_string(), start + &event(&json!({"type": "message_stop"}))]
}

/// A stream with these blocks, each begun by an event, and these pieces of the first one's input.
fn streamed(blocks: &Value, pieces: &[&str]) -> String {
    let mut body = event(&json!({"type": "message_start", "message": {"content": []}}));
    for (index, block) in blocks.as_array().unwrap().iter().enumerate() {
        body += &event(&json!({"type": "content_block_start", "index": index, "content_block": block}));
    }
    for piece in pieces {
        let delta = json!({"type": "input_json_delta", "partial_json": piece});
        body += &event(&json!({"type": "content_block_delta", "index": 0, "delta": delta}));
    }
    body + &event(&json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}))
        + &event(&json!({"type": "message_stop"}))
}

/// What becomes of the body, asked for plain and as a stream.
async fn errors(status: u16, body: &str, set: impl Fn(Builder) -> Builder) -> [ModelError; 2] {
    let mut errors = Vec::new();
    for stream in [false, true] {
        let server = Server::new([Answer::text(status, "text/plain", body)]).await;
        let model = set(server.builder()).build().unwrap();
        let error = ask(&model, Request::new(&[Message::user("?")]), stream).await.unwrap_err();
        assert_eq!(error.get_attempts(), 1, "{error}");
        errors.push(error);
    }
    errors.try_into().unwrap()
}

#[tokio::test]
async fn arguments_over_their_limit_are_an_error_on_each_way() {
    let call = |input: Value| json!([{"type": "tool_use", "id": "t", "name": "n", "input": input}]);
    let large = call(json!({"a": "x".repeat(1000)}));
    let [whole, first] = bodies(&large);
    let half = "x".repeat(600);
    for body in [whole, first, streamed(&large, &[]), streamed(&call(json!({})), &[&half, &half])] {
        for error in errors(200, &body, |builder| builder.max_argument_bytes(1000)).await {
            assert_eq!((error.kind(), error.is_retryable()), (Kind::MalformedResponse, false), "{error}");
            assert!(error.message().contains("max_argument_bytes"), "{error}");
        }
    }
}

#[tokio::test]
async fn more_blocks_than_are_taken_are_an_error_on_each_way() {
    let blocks: Vec<_> = (0..1025).map(|n| json!({"type": "text", "text": n.to_string()})).collect();
    let blocks = json!(blocks);
    let [whole, first] = bodies(&blocks);
    for body in [whole, first, streamed(&blocks, &[])] {
        for error in errors(200, &body, |builder| builder).await {
            assert_eq!((error.kind(), error.is_retryable()), (Kind::MalformedResponse, false), "{error}");
        }
    }
}

#[tokio::test]
async fn an_answer_over_the_limit_is_an_error_on_each_way_also_where_it_tells_of_one() {
    let words = "w ".repeat(600);
    let [whole, first] = bodies(&json!([{"type": "text", "text": words}]));
    let fault = json!({"type": "error", "error": {"type": "api_error", "message": words}}).to_string();
    let pings = event(&json!({"type": "ping"})).repeat(100);
    for (status, body) in [(200, &whole), (200, &first), (200, &pings), (400, &fault), (200, &fault), (529, &whole)] {
        for error in errors(status, body, |builder| builder.max_response_bytes(1000)).await {
            assert_eq!((error.kind(), error.is_retryable()), (Kind::MalformedResponse, false), "{error}");
            assert!(error.message().contains("max_response_bytes"), "{error}");
        }
    }
}

#[tokio::test]
async fn nesting_without_end_is_an_error_and_no_overflow_on_each_way() {
    let deep = "[".repeat(200_000);
    for body in [
        deep.clone(),
        format!("{{\"content\":[{{\"type\":\"text\",\"text\":{deep}"),
        format!("data: {deep}\n\n"),
        format!("data: {{\"type\":\"message_start\",\"message\":{{\"content\":{deep}\n\n"),
        format!("data: {{\"type\":\"content_block_delta\",\"delta\":{{\"partial_json\":{deep}\n\n"),
    ] {
        for error in errors(200, &body, |builder| builder.max_retries(0)).await {
            // An event that ends inside its JSON is where a stream was cut.
            let is_cut = body.starts_with("data:") && error.kind() == Kind::StreamInterrupted;
            assert!(is_cut || error.kind() == Kind::MalformedResponse, "{error}");
        }
    }
}
