//! Turns that the server pauses.

use agent_anthropic::Anthropic;
use agent_core::model::{Delta, Finish, Message, Model, ModelErrorKind as Kind, Request};
use futures_util::StreamExt;
use serde_json::{Value, json};

use crate::event;
use crate::server::{Answer, Server};

fn message(content: Value, reason: &str) -> Value {
    json!({"id": "m", "model": "c", "content": content, "stop_reason": reason,
           "usage": {"input_tokens": 10, "output_tokens": 2, "cache_read_input_tokens": 5}})
}

fn first() -> Value {
    let search = json!({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {"query": "x"}});
    message(json!([{"type": "text", "text": "Searching. "}, search]), "pause_turn")
}

fn second(reason: &str) -> Value {
    message(json!([{"type": "text", "text": "Found."}]), reason)
}

/// A message as a stream.
fn events(message: &Value) -> Answer {
    let mut start = message.clone();
    start["content"] = json!([]);
    start["stop_reason"] = Value::Null;
    let mut body = event(&json!({"type": "message_start", "message": start}));
    for (index, block) in message["content"].as_array().unwrap().iter().enumerate() {
        body += &event(&json!({"type": "content_block_start", "index": index, "content_block": block}));
    }
    body += &event(&json!({"type": "message_delta", "delta": {"stop_reason": message["stop_reason"]}}));
    Answer::text(200, "text/event-stream", body + &event(&json!({"type": "message_stop"})))
}

#[tokio::test]
async fn a_paused_turn_goes_on_and_is_one_reply() {
    let server = Server::new([Answer::json(200, &first()), Answer::json(200, &second("end_turn"))]).await;
    let reply = server.model().reply(Request::new(&[Message::user("?")])).await.unwrap();
    assert_eq!((reply.text.as_deref(), reply.finish), (Some("Searching. Found."), Some(Finish::Stop)));
    let usage = reply.usage.unwrap();
    assert_eq!((reply.attempts, usage.input, usage.output, usage.cached_input), (2, 30, 4, 10));
    let asked = server.asked();
    let sent = &asked[1].body["messages"];
    assert_eq!(sent[1], json!({"role": "assistant", "content": first()["content"]}));
    // The reply goes back as one message, with the blocks of both.
    let kept = reply.echo.unwrap().fields;
    assert_eq!(kept["content"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn a_paused_stream_goes_on_as_one_stream() {
    let server = Server::new([events(&first()), events(&second("end_turn"))]).await;
    let model = server.model();
    let messages = [Message::user("?")];
    let mut items: Vec<_> = model.stream(Request::new(&messages)).map(Result::unwrap).collect().await;
    let Some(Delta::Done(reply)) = items.pop() else { panic!("no end") };
    assert_eq!(items, ["Searching. ", "Found."].map(|text| Delta::Text(text.to_owned())));
    assert_eq!((reply.text.as_deref(), reply.attempts), (Some("Searching. Found."), 2));
}

fn limited(server: &Server, times: u32) -> Anthropic {
    server.builder().max_continuations(times).max_retries(0).build().unwrap()
}

#[tokio::test]
async fn a_turn_that_pauses_without_end_is_given_back_as_it_is() {
    let answers = (0..4).map(|_| Answer::json(200, &first()));
    let server = Server::new(answers).await;
    let reply = limited(&server, 2).reply(Request::new(&[Message::user("?")])).await.unwrap();
    assert_eq!((reply.attempts, server.asked().len()), (3, 3));
    assert_eq!(reply.finish, Some(Finish::Other("pause_turn".to_owned())));
}

#[tokio::test]
async fn a_failure_in_a_later_part_tells_what_was_said_and_sent_before() {
    let busy =
        || Answer::json(529, &json!({"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}));
    let server = Server::new([Answer::json(200, &first()), busy()]).await;
    let error = limited(&server, 5).reply(Request::new(&[Message::user("?")])).await.unwrap_err();
    assert_eq!((error.kind(), error.get_attempts()), (Kind::Overloaded, 2));
    assert_eq!(error.get_partial_text(), Some("Searching. "));
    let server = Server::new([events(&first()), busy()]).await;
    let messages = [Message::user("?")];
    let model = limited(&server, 5);
    let last = model.stream(Request::new(&messages)).collect::<Vec<_>>().await.pop();
    let Some(Err(error)) = last else { panic!("{last:?}") };
    assert_eq!((error.get_attempts(), error.get_partial_text()), (2, Some("Searching. ")));
}

#[tokio::test]
async fn a_turn_with_calls_of_our_own_waits_for_their_results() {
    let calls = json!([{"type": "tool_use", "id": "toolu_1", "name": "now", "input": {}}]);
    let server = Server::new([Answer::json(200, &message(calls, "pause_turn"))]).await;
    let reply = server.model().reply(Request::new(&[Message::user("?")])).await.unwrap();
    assert_eq!((reply.calls.len(), reply.attempts), (1, 1));
}
