//! The limits of what is read hold on each way that it can come: whole or as events, whichever was asked for.

use agent_core::model::{Message, ModelError, ModelErrorKind as Kind, Request};
use agent_openai::Builder;
use serde_json::{Value, json};

use crate::ask;
use crate::server::{Answer, Server};

/// A message as a whole reply and as the one event of a stream.
fn bodies(message: &Value) -> [String; 2] {
    let whole = json!({"choices": [{"message": message, "finish_reason": "stop"}]});
    let event = json!({"choices": [{"delta": message, "finish_reason": "stop"}]});
    [whole.to_string(), format!("data: {event}\n\ndata: [DONE]\n\n")]
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
    let function = json!({"name": "n", "arguments": "x".repeat(1001)});
    for message in [json!({"tool_calls": [{"id": "c", "function": function}]}), json!({"function_call": function})] {
        for body in bodies(&message) {
            for error in errors(200, &body, |builder| builder.max_argument_bytes(1000)).await {
                assert_eq!((error.kind(), error.is_retryable()), (Kind::MalformedResponse, false), "{error}");
                assert!(error.message().contains("max_argument_bytes"), "{error}");
            }
            let server = Server::new([Answer::text(200, "text/plain", body)]).await;
            let model = server.builder().max_argument_bytes(1001).build().unwrap();
            assert!(ask(&model, Request::new(&[Message::user("?")]), false).await.is_ok());
        }
    }
}

#[tokio::test]
async fn arguments_that_grow_over_their_limit_in_pieces_are_an_error_on_each_way() {
    let piece = json!({"name": "n", "arguments": "x".repeat(600)});
    for delta in [json!({"tool_calls": [{"index": 0, "id": "c", "function": piece}]}), json!({"function_call": piece})]
    {
        let event = format!("data: {}\n\n", json!({"choices": [{"delta": delta}]}));
        for error in errors(200, &event.repeat(2), |builder| builder.max_argument_bytes(1000)).await {
            assert!(error.message().contains("max_argument_bytes"), "{error}");
        }
    }
}

#[tokio::test]
async fn more_calls_than_are_taken_are_an_error_on_each_way() {
    let call = |n: usize| json!({"index": n, "id": format!("c{n}"), "function": {"name": "n", "arguments": "{}"}});
    let calls: Vec<_> = (0..1025).map(call).collect();
    for body in bodies(&json!({"tool_calls": calls})) {
        for error in errors(200, &body, |builder| builder).await {
            assert_eq!((error.kind(), error.is_retryable()), (Kind::MalformedResponse, false), "{error}");
        }
    }
    // One event each.
    let event = |n| format!("data: {}\n\n", json!({"choices": [{"delta": {"tool_calls": [call(n)]}}]}));
    for error in errors(200, &(0..1025).map(event).collect::<String>(), |builder| builder).await {
        assert_eq!((error.kind(), error.is_retryable()), (Kind::MalformedResponse, false), "{error}");
    }
}

#[tokio::test]
async fn an_answer_over_the_limit_is_an_error_on_each_way_also_where_it_tells_of_one() {
    let words = "w ".repeat(600);
    let fault = json!({"error": {"message": words}}).to_string();
    let [whole, events] = bodies(&json!({"content": words}));
    let heartbeats = ": still here\n\n".repeat(100);
    for (status, body) in
        [(200, &whole), (200, &events), (200, &heartbeats), (400, &fault), (200, &fault), (503, &whole)]
    {
        for error in errors(status, body, |builder| builder.max_response_bytes(1000)).await {
            assert_eq!((error.kind(), error.is_retryable()), (Kind::MalformedResponse, false), "{error}");
            assert!(error.message().contains("max_response_bytes"), "{error}");
        }
    }
}

#[tokio::test]
async fn nesting_without_end_is_an_error_and_no_overflow_on_each_way() {
    let deep = "[".repeat(200_000);
    let closed = format!("{deep}{}", "]".repeat(200_000));
    for deep in [deep, closed] {
        for body in [
            deep.clone(),
            format!("{{\"choices\":[{{\"message\":{{\"content\":{deep}"),
            format!("data: {deep}\n\n"),
            format!("data: {{\"choices\":[{{\"delta\":{{\"content\":{deep}\n\n"),
            format!("data: {{\"choices\":[{{\"delta\":{{\"tool_calls\":[{{\"function\":{{\"arguments\":{deep}\n\n"),
        ] {
            for error in errors(200, &body, |builder| builder.max_retries(0)).await {
                // An event that ends inside its JSON is where a stream was cut; one that is no object may be words of an error.
                let kinds = [Kind::MalformedResponse, Kind::StreamInterrupted, Kind::Server];
                let most = if body.starts_with("data:") { 3 } else { 1 };
                assert!(kinds[..most].contains(&error.kind()), "{error}");
            }
        }
        for error in errors(400, &format!("{{\"error\":{deep}"), |builder| builder).await {
            assert_eq!(error.kind(), Kind::InvalidRequest, "{error}");
        }
    }
}
