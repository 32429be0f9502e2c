//! Streams whose events are cut, doubled, mixed up or of another format: an answer that is right, or an error.

use std::fs;
use std::path::Path;

use agent_core::model::{Delta, Message, Model, ModelError, ModelErrorKind as Kind, Reply, Request};
use futures_util::StreamExt;
use serde_json::{Value, json};

use crate::event;
use crate::server::{Answer, Server};

async fn read(body: impl Into<Vec<u8>>) -> Result<Reply, ModelError> {
    let server = Server::new([Answer::text(200, "text/event-stream", body)]).await;
    let model = server.builder().max_retries(0).build().unwrap();
    let messages = [Message::user("?")];
    match model.stream(Request::new(&messages)).collect::<Vec<_>>().await.pop() {
        Some(Ok(Delta::Done(reply))) => Ok(reply),
        Some(Err(error)) => Err(error),
        other => panic!("{other:?}"),
    }
}

fn begin() -> String {
    let usage = json!({"input_tokens": 3, "output_tokens": 1});
    event(&json!({"type": "message_start", "message": {"id": "m", "content": [], "usage": usage}}))
}

fn start(index: u64, block: Value) -> String {
    event(&json!({"type": "content_block_start", "index": index, "content_block": block}))
}

fn delta(index: u64, delta: Value) -> String {
    event(&json!({"type": "content_block_delta", "index": index, "delta": delta}))
}

fn text(index: u64, text: &str) -> String {
    delta(index, json!({"type": "text_delta", "text": text}))
}

fn input(index: u64, text: &str) -> String {
    delta(index, json!({"type": "input_json_delta", "partial_json": text}))
}

fn call(index: u64, id: &str) -> String {
    start(index, json!({"type": "tool_use", "id": id, "name": "now", "input": {}}))
}

fn end(reason: &str) -> String {
    let usage = json!({"output_tokens": 7});
    event(&json!({"type": "message_delta", "delta": {"stop_reason": reason}, "usage": usage}))
        + &event(&json!({"type": "message_stop"}))
}

fn blank() -> Value {
    json!({"type": "text", "text": ""})
}

/// A stream of a bit of everything.
fn everything() -> String {
    let thought = json!({"type": "thinking", "thinking": "", "signature": ""});
    [
        begin(),
        event(&json!({"type": "ping"})),
        start(0, thought),
        delta(0, json!({"type": "thinking_delta", "thinking": "Hm \u{1f980}."})),
        delta(0, json!({"type": "signature_delta", "signature": "c2ln"})),
        event(&json!({"type": "content_block_stop", "index": 0})),
        start(1, blank()),
        text(1, "One "),
        text(1, "moment."),
        call(2, "toolu_1"),
        input(2, "{\"a\""),
        input(2, ":1}"),
        end("tool_use"),
    ]
    .concat()
}

/// The streams among the fixtures, each with its name.
fn fixtures() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let bodies = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let streams = bodies.filter(|path| path.extension().is_some_and(|extension| extension == "response"));
    let streams = streams.map(|path| (path.display().to_string(), fs::read(path).unwrap()));
    streams.filter(|(_, body)| body.starts_with(b"event:")).collect()
}

#[tokio::test]
async fn a_stream_that_ends_after_any_byte_is_interrupted_and_never_an_answer() {
    let mut streams = fixtures();
    assert!(streams.len() >= 5);
    streams.push(("everything".to_owned(), everything().into_bytes()));
    for (name, whole) in streams {
        let lengths = (0..=whole.len()).rev();
        let server = Server::new(
            lengths.clone().map(|end| Answer::text(200, "text/event-stream", &whole[..end])).collect::<Vec<_>>(),
        )
        .await;
        let model = server.builder().max_retries(0).build().unwrap();
        let mut right = None;
        for length in lengths {
            let messages = [Message::user("?")];
            let end = model.stream(Request::new(&messages)).collect::<Vec<_>>().await.pop();
            let read = match end {
                Some(Ok(Delta::Done(reply))) => Ok(reply),
                Some(Err(error)) => Err(error),
                other => panic!("{name} cut at {length}: {other:?}"),
            };
            let right = right.get_or_insert_with(|| read.as_ref().ok().cloned());
            match (read, right) {
                // The blank line of the last event may be missing, and its line end too.
                (Ok(reply), Some(right)) if length >= whole.len() - 2 => assert_eq!(reply, *right),
                (Ok(reply), _) => panic!("{name} cut at {length}: {reply:?}"),
                (Err(error), right) => {
                    let cut = matches!(error.kind(), Kind::StreamInterrupted | Kind::MalformedResponse);
                    // The error that a server told is one until its own event is cut.
                    assert!(cut || right.is_none(), "{name} cut at {length}: {error}");
                    assert!(error.is_retryable(), "{name} cut at {length}: {error}");
                    let said = error.get_partial_text().unwrap_or_default();
                    let text = right.as_ref().map_or("Half a", |right| right.text.as_deref().unwrap_or_default());
                    assert!(text.starts_with(said), "{name} cut at {length}: {said}");
                    assert!(right.is_none() || length < whole.len(), "{name}: {error}");
                }
            }
        }
    }
}

#[tokio::test]
async fn what_is_out_of_order_is_read_where_it_has_one_meaning() {
    for (about, body, said, calls) in [
        ("a text whose beginning never came", [begin(), text(0, "a"), end("end_turn")].concat(), "a", 0),
        ("no beginning of the message", [start(0, blank()), text(0, "a"), end("end_turn")].concat(), "a", 0),
        (
            "deltas of two blocks in turn",
            [begin(), start(0, blank()), start(1, blank()), text(1, "b"), text(0, "a"), end("end_turn")].concat(),
            "ab",
            0,
        ),
        (
            "the same index for every block",
            [begin(), start(0, blank()), text(0, "a"), call(0, "t1"), input(0, "{}"), call(0, "t2"), end("tool_use")]
                .concat(),
            "a",
            2,
        ),
        (
            "a beginning of a call that comes twice",
            [begin(), call(0, "t1"), call(0, "t1"), end("tool_use")].concat(),
            "",
            1,
        ),
        ("two calls of one id", [begin(), call(0, "t1"), call(1, "t1"), end("tool_use")].concat(), "", 2),
        (
            "a piece behind the end of its block",
            [
                begin(),
                start(0, blank()),
                event(&json!({"type": "content_block_stop", "index": 0})),
                text(0, "a"),
                end("end_turn"),
            ]
            .concat(),
            "a",
            0,
        ),
        ("events behind the end", [begin(), text(0, "a"), end("end_turn"), text(0, "b"), begin()].concat(), "a", 0),
        (
            "blocks and events of the future",
            [
                begin(),
                start(0, json!({"type": "hologram", "x": 1})),
                delta(0, json!({"type": "hologram_delta", "x": 2})),
                event(&json!({"type": "message_blessed", "by": {}})),
                text(1, "a"),
                end("end_turn"),
            ]
            .concat(),
            "a",
            0,
        ),
        (
            "the end of another format behind it",
            [begin(), text(0, "a"), end("end_turn"), "data: [DONE]\n\n".to_owned()].concat(),
            "a",
            0,
        ),
        ("a block that is none", [begin(), start(0, json!(7)), text(1, "a"), end("end_turn")].concat(), "a", 0),
    ] {
        let reply = read(body).await.unwrap_or_else(|error| panic!("{about}: {error}"));
        assert_eq!((reply.text.as_deref().unwrap_or_default(), reply.calls.len()), (said, calls), "{about}");
    }
}

#[tokio::test]
async fn what_is_out_of_order_and_may_mean_anything_is_an_error() {
    for (about, body) in [
        ("a second message inside the first", [begin(), text(0, "a"), begin(), text(0, "a"), end("end_turn")].concat()),
        ("a piece of a call that never began", [begin(), input(0, "{}"), end("tool_use")].concat()),
        ("a piece of a call inside a text", [begin(), text(0, "a"), input(0, "{}"), end("tool_use")].concat()),
        ("text inside a call", [begin(), call(0, "t1"), text(0, "a"), end("tool_use")].concat()),
        ("no end", [begin(), call(0, "t1"), input(0, "{\"a\":")].concat()),
        (
            "a reason to stop and no end",
            [begin(), call(0, "t1"), event(&json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}))]
                .concat(),
        ),
        ("an end alone", event(&json!({"type": "message_stop"}))),
        ("an event that is no JSON", [begin(), "data: {no}\n\n".to_owned(), end("end_turn")].concat()),
    ] {
        let error = read(body).await.map(|reply| panic!("{about}: {reply:?}")).unwrap_err();
        assert!(matches!(error.kind(), Kind::MalformedResponse | Kind::StreamInterrupted), "{about}: {error}");
        assert!(error.is_retryable(), "{about}");
    }
}

#[tokio::test]
async fn another_formats_answers_and_errors_are_no_answers() {
    let chunk = "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\ndata: [DONE]\n\n";
    for (body, kind) in [
        (chunk, Kind::MalformedResponse),
        ("data: {\"error\":{\"message\":\"the words\",\"type\":\"server_error\",\"code\":503}}\n\n", Kind::Overloaded),
        ("data: {\"error\":\"the words\"}\n\n", Kind::Server),
        ("event: error\ndata: {\"type\":\"error\"}\n\n", Kind::Server),
        ("{\"id\":\"x\",\"choices\":[{\"message\":{\"content\":\"Hi\"}}]}", Kind::MalformedResponse),
        ("{\"error\":{\"code\":429,\"message\":\"the words\",\"status\":\"RESOURCE_EXHAUSTED\"}}", Kind::RateLimit),
        ("{\"type\":\"message\"}", Kind::MalformedResponse),
    ] {
        let error = read(body).await.unwrap_err();
        assert_eq!(error.kind(), kind, "{body}: {error}");
        assert_eq!(error.message().contains("the words"), body.contains("the words"), "{error}");
    }
}
