//! Replies piece by piece.

use std::time::Duration;

use agent_core::model::{Delta, Finish, Message, Model, ModelError, ModelErrorKind as Kind, Request};
use agent_openai::OpenAi;
use futures_util::StreamExt;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::time::Instant;

use crate::server::{Answer, Server};

const EVENTS: &str = "text/event-stream";
const HALF: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"Half\"}}]}\n\n";
const STOP: &str = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
const DONE: &str = "data: [DONE]\n\n";

fn events(parts: &[&str]) -> Answer {
    Answer::text(200, EVENTS, parts.concat())
}

fn busy() -> Answer {
    Answer::json(503, &json!({"error": {"message": "busy"}}))
}

async fn all(model: &OpenAi, deadline: Option<Instant>) -> Vec<Result<Delta, ModelError>> {
    let messages = [Message::user("?")];
    model.stream(Request::new(&messages).deadline(deadline)).collect().await
}

/// The pieces of a stream without error, the end left out, and the error of one with it.
fn split(items: Vec<Result<Delta, ModelError>>) -> (Vec<Delta>, Option<ModelError>) {
    let mut pieces = Vec::new();
    for item in items {
        match item {
            Ok(Delta::Done(_)) => {}
            Ok(delta) => pieces.push(delta),
            Err(error) => return (pieces, Some(error)),
        }
    }
    (pieces, None)
}

fn text(text: &str) -> Delta {
    Delta::Text(text.to_owned())
}

#[tokio::test]
async fn text_reasoning_and_calls_come_in_pieces_and_whole_at_the_end() {
    let chunk = |delta| format!("data: {}\n\n", json!({"choices": [{"delta": delta}]}));
    let call = |call| chunk(json!({"tool_calls": [call]}));
    let body = [
        chunk(json!({"reasoning_content": "Hm."})),
        chunk(json!({"content": "One "})),
        chunk(json!({"content": "moment."})),
        call(json!({"index": 0, "id": "c1", "function": {"name": "now", "arguments": ""}})),
        call(json!({"index": 0, "function": {"arguments": "{\"a\""}})),
        call(json!({"index": 1, "id": "c2", "function": {"name": "now", "arguments": "{}"}})),
        call(json!({"index": 0, "function": {"arguments": ":1}"}})),
        STOP.to_owned(),
        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":6}}\n\n".to_owned(),
        DONE.to_owned(),
    ];
    let server = Server::new([Answer::text(200, EVENTS, body.concat())]).await;
    let mut items = all(&server.model(), None).await;
    let Some(Ok(Delta::Done(reply))) = items.pop() else { panic!("no end") };
    let call = |index, id: Option<&str>, name: Option<&str>, arguments: &str| Delta::Call {
        index,
        id: id.map(str::to_owned),
        name: name.map(str::to_owned),
        arguments: arguments.to_owned(),
    };
    let expected = vec![
        Delta::Reasoning("Hm.".to_owned()),
        text("One "),
        text("moment."),
        call(0, Some("c1"), Some("now"), ""),
        call(0, None, None, "{\"a\""),
        call(1, Some("c2"), Some("now"), "{}"),
        call(0, None, None, ":1}"),
    ];
    assert_eq!(split(items).0, expected);
    assert_eq!((reply.text.as_deref(), reply.finish), (Some("One moment."), Some(Finish::ToolCalls)));
    let arguments: Vec<_> = reply.calls.iter().map(|call| call.arguments.as_str()).collect();
    assert_eq!((arguments, reply.usage.unwrap().total()), (vec!["{\"a\":1}", "{}"], 11));
    let body = server.asked().remove(0).body;
    assert_eq!((&body["stream"], &body["stream_options"]), (&json!(true), &json!({"include_usage": true})));
}

#[tokio::test]
async fn a_stream_that_fails_before_its_first_piece_is_asked_for_again() {
    let role = "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\"}}]}\n\n";
    let server = Server::new([busy(), Answer::Close, events(&[role]), events(&[HALF, STOP])]).await;
    let model = server.builder().retry_waits(Duration::ZERO, Duration::ZERO).max_retries(3).build().unwrap();
    let mut items = all(&model, None).await;
    let Some(Ok(Delta::Done(reply))) = items.pop() else { panic!("no end") };
    assert_eq!((reply.attempts, reply.text.as_deref(), split(items).0), (4, Some("Half"), vec![text("Half")]));
}

#[tokio::test]
async fn a_stream_that_fails_after_its_first_piece_is_not() {
    let failed = "data: {\"error\":{\"message\":\"went away\",\"code\":502}}\n\n";
    for (answer, kind) in [(events(&[HALF, failed]), Kind::Server), (events(&[HALF]), Kind::StreamInterrupted)] {
        let server = Server::new([answer, events(&[STOP])]).await;
        let (pieces, error) = split(all(&server.model(), None).await);
        let error = error.unwrap();
        assert_eq!((pieces, error.kind()), (vec![text("Half")], kind));
        assert_eq!((error.get_partial_text(), error.get_attempts(), server.asked().len()), (Some("Half"), 1, 1));
        assert!(error.is_retryable());
    }
}

#[tokio::test]
async fn a_whole_reply_in_place_of_a_stream_is_taken() {
    let body = json!({"choices": [{"message": {"content": "All at once."}, "finish_reason": "stop"}]});
    let server = Server::new([Answer::json(200, &body)]).await;
    let items = all(&server.model(), None).await;
    assert!(matches!(items.last(), Some(Ok(Delta::Done(reply))) if reply.text.as_deref() == Some("All at once.")));
    assert_eq!(split(items).0, [text("All at once.")]);
}

#[tokio::test]
async fn a_stream_in_place_of_a_whole_reply_is_taken() {
    let server = Server::new([events(&[": hello\n\n", HALF, STOP, DONE])]).await;
    let reply = server.model().reply(Request::new(&[Message::user("?")])).await.unwrap();
    assert_eq!(reply.text.as_deref(), Some("Half"));
}

#[tokio::test]
async fn a_page_in_place_of_a_stream_is_malformed() {
    let server = Server::new([Answer::text(200, "text/html", "\n<html></html>")]).await;
    let error = split(all(&server.model(), None).await).1.unwrap();
    assert_eq!((error.kind(), error.is_retryable()), (Kind::MalformedResponse, false));
}

#[tokio::test]
async fn the_end_does_not_wait_for_a_server_that_keeps_the_connection_open() {
    let server = Server::new([Answer::Hang(vec![HALF, STOP, DONE])]).await;
    let items = all(&server.model(), None).await;
    assert!(matches!(items.last(), Some(Ok(Delta::Done(_)))));
}

#[tokio::test(start_paused = true)]
async fn silence_before_the_first_byte_ends_at_its_own_timeout() {
    let server = Server::new([Answer::Hang(vec![]), Answer::Hang(vec![])]).await;
    let model = server.builder().first_byte_timeout(Duration::from_secs(50)).max_retries(1).build().unwrap();
    let before = Instant::now();
    let error = split(all(&model, None).await).1.unwrap();
    assert_eq!((error.kind(), error.get_attempts()), (Kind::Timeout, 2));
    assert!(before.elapsed() >= Duration::from_secs(100));
}

#[tokio::test(start_paused = true)]
async fn silence_inside_a_stream_ends_at_its_own_timeout() {
    let server = Server::new([Answer::Hang(vec![HALF])]).await;
    let model = server.builder().idle_timeout(Duration::from_secs(20)).build().unwrap();
    let before = Instant::now();
    let (pieces, error) = split(all(&model, None).await);
    let error = error.unwrap();
    assert_eq!((pieces, error.kind()), (vec![text("Half")], Kind::Timeout));
    assert_eq!((error.get_partial_text(), before.elapsed().as_secs()), (Some("Half"), 20));
}

#[tokio::test(start_paused = true)]
async fn a_stream_without_its_end_is_whole_a_moment_after_its_reason_and_usage() {
    const USAGE: &str = "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}\n\n";
    for (answer, seconds) in [
        (Answer::Hang(vec![HALF, STOP, USAGE]), 1),
        (Answer::Hang(vec![HALF, STOP]), 3),
        (Answer::Beat(vec![HALF, STOP, USAGE]), 1),
    ] {
        let server = Server::new([answer]).await;
        let before = Instant::now();
        let Some(Ok(Delta::Done(reply))) = all(&server.model(), None).await.pop() else { panic!("no end") };
        assert_eq!((reply.text.as_deref(), reply.finish), (Some("Half"), Some(Finish::Stop)));
        assert_eq!((before.elapsed().as_secs(), reply.usage.is_some()), (seconds, seconds == 1));
    }
}

#[tokio::test(start_paused = true)]
async fn comments_keep_a_stream_alive_up_to_the_deadline_or_the_timeout() {
    for (deadline, seconds) in [(Some(300), 300), (Some(900), 600), (None, 600)] {
        let server = Server::new([Answer::Beat(vec![HALF])]).await;
        let before = Instant::now();
        let deadline = deadline.map(|seconds| before + Duration::from_secs(seconds));
        let error = split(all(&server.model(), deadline).await).1.unwrap();
        assert_eq!((error.kind(), before.elapsed().as_secs()), (Kind::Timeout, seconds));
        assert_eq!(error.get_partial_text(), Some("Half"));
    }
}

#[tokio::test(start_paused = true)]
async fn the_deadline_ends_a_stream_that_goes_on() {
    let server = Server::new([Answer::Hang(vec![HALF])]).await;
    let before = Instant::now();
    let error = split(all(&server.model(), Some(before + Duration::from_secs(3))).await).1.unwrap();
    assert_eq!((error.kind(), before.elapsed().as_secs()), (Kind::Timeout, 3));
}

#[tokio::test]
async fn streams_and_arguments_over_their_limit_end_in_an_error() {
    let call = |arguments: &str| {
        let call = json!({"index": 0, "id": "c", "function": {"name": "n", "arguments": arguments}});
        format!("data: {}\n\n", json!({"choices": [{"delta": {"tool_calls": [call]}}]}))
    };
    let large = [call(&"x".repeat(600)), call(&"x".repeat(600))].concat();
    let server = Server::new([Answer::text(200, EVENTS, large.clone()), Answer::text(200, EVENTS, large)]).await;
    let arguments = server.builder().max_argument_bytes(1000).build().unwrap();
    let whole = server.builder().max_response_bytes(1000).build().unwrap();
    for (model, name) in [(arguments, "max_argument_bytes"), (whole, "max_response_bytes")] {
        let error = split(all(&model, None).await).1.unwrap();
        assert!(error.message().contains(name) && !error.is_retryable(), "{error}");
    }
}

#[tokio::test]
async fn endless_calls_end_in_an_error() {
    let call = |id| json!({"id": format!("c{id}"), "function": {"name": "n", "arguments": "{}"}});
    let calls: Vec<_> = (0..2000).map(call).collect();
    let server = Server::new([Answer::json(200, &json!({"choices": [{"message": {"tool_calls": calls}}]}))]).await;
    let error = server.model().reply(Request::new(&[Message::user("?")])).await.unwrap_err();
    assert_eq!((error.kind(), error.get_attempts()), (Kind::MalformedResponse, 1));
}

#[tokio::test]
async fn a_second_choice_is_not_mixed_into_the_first() {
    let chunk =
        |index, text| format!("data: {}\n\n", json!({"choices": [{"index": index, "delta": {"content": text}}]}));
    let body = [chunk(0, "a"), chunk(1, "x"), chunk(0, "b"), chunk(1, "y"), STOP.to_owned()].concat();
    let server = Server::new([Answer::text(200, EVENTS, body)]).await;
    assert_eq!(split(all(&server.model(), None).await).0, [text("a"), text("b")]);
}

#[tokio::test]
async fn signatures_that_come_in_pieces_are_kept_whole() {
    let delta = |delta| format!("data: {}\n\n", json!({"choices": [{"delta": delta}]}));
    let extra = json!({"google": {"thought_signature": "s"}});
    let body = [
        delta(json!({"reasoning_content": "Th"})),
        delta(json!({"reasoning_content": "ink."})),
        delta(json!({"tool_calls": [{"id": "c", "function": {"name": "n", "arguments": "{}"}}]})),
        delta(json!({"tool_calls": [{"extra_content": extra}]})),
        STOP.to_owned(),
    ];
    let server = Server::new([Answer::text(200, EVENTS, body.concat())]).await;
    let Some(Ok(Delta::Done(reply))) = all(&server.model(), None).await.pop() else { panic!("no end") };
    assert_eq!(reply.echo.unwrap().fields, json!({"reasoning_content": "Think."}));
    assert_eq!(reply.calls[0].echo.as_ref().unwrap().fields, json!({"extra_content": extra}));
}

#[tokio::test]
async fn a_connection_is_used_again_after_its_stream() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
    let served = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let events = [HALF, STOP, DONE].concat();
        let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
        let start = format!("{head}{:x}\r\n{events}\r\n", events.len());
        for _ in 0..2 {
            let mut request = Vec::new();
            while !request.ends_with(b"}") {
                assert_ne!(stream.read_buf(&mut request).await.unwrap(), 0, "the connection was given up");
            }
            stream.write_all(start.as_bytes()).await.unwrap();
            // The end of the body comes for itself, after the end of the events.
            tokio::task::yield_now().await;
            stream.write_all(b"0\r\n\r\n").await.unwrap();
        }
    });
    let model = OpenAi::builder().base_url(base_url).build().unwrap();
    for _ in 0..2 {
        assert!(matches!(all(&model, None).await.pop(), Some(Ok(Delta::Done(_)))));
    }
    served.await.unwrap();
}
