//! What is tried again.

use std::time::Duration;

use agent_core::model::{Message, Model, ModelErrorKind as Kind, Request};
use serde_json::json;
use tokio::time::Instant;

use crate::ask;
use crate::server::{Answer, Server};

fn busy() -> Answer {
    Answer::json(503, &json!({"error": {"message": "busy"}}))
}

fn fine() -> Answer {
    Answer::json(200, &json!({"choices": [{"message": {"content": "ok"}}]}))
}

#[tokio::test]
async fn the_same_bytes_go_out_again_until_there_is_an_answer() {
    let server = Server::new([busy(), Answer::Close, fine()]).await;
    let reply = server.model().reply(Request::new(&[Message::user("?")])).await.unwrap();
    assert_eq!(reply.attempts, 3);
    let asked = server.asked();
    assert!(asked.len() == 3 && asked.iter().all(|request| request.body == asked[0].body));
}

#[tokio::test]
async fn the_last_failure_is_told_with_the_count() {
    let server = Server::new([busy(), busy(), busy()]).await;
    let error = server.model().reply(Request::new(&[Message::user("?")])).await.unwrap_err();
    assert_eq!((error.kind(), error.get_attempts()), (Kind::Overloaded, 3));
}

#[tokio::test]
async fn a_refusal_is_final() {
    let server = Server::new([Answer::json(401, &json!({})), fine()]).await;
    let error = server.model().reply(Request::new(&[Message::user("?")])).await.unwrap_err();
    assert_eq!((error.kind(), server.asked().len()), (Kind::Auth, 1));
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_the_server_asks_for_is_kept_whole() {
    for (name, value, wait) in [("retry-after", "20", 20), ("retry-after-ms", "30000", 30)] {
        for stream in [false, true] {
            let server = Server::new([busy().header(name, value), fine()]).await;
            let before = Instant::now();
            let reply = ask(&server.model(), Request::new(&[Message::user("?")]), stream).await.unwrap();
            assert_eq!(reply.attempts, 2);
            assert_eq!(before.elapsed().as_secs(), wait, "{name}, as a stream: {stream}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_wait_in_the_body_is_kept_too_also_in_a_stream_that_began_well() {
    let body = json!([{"error": {"code": 429, "message": "slow", "details": [{"retryDelay": "12s"}]}}]);
    let event = format!("data: {}\n\n", body[0]);
    for (answer, stream) in [
        (Answer::json(429, &body), false),
        (Answer::json(429, &body), true),
        (Answer::json(200, &body[0]), true),
        (Answer::text(200, "text/event-stream", event.as_str()), true),
        (Answer::text(200, "text/event-stream", event.as_str()), false),
    ] {
        let server = Server::new([answer, fine()]).await;
        let before = Instant::now();
        ask(&server.model(), Request::new(&[Message::user("?")]), stream).await.unwrap();
        assert_eq!(before.elapsed().as_secs(), 12);
    }
}

#[tokio::test(start_paused = true)]
async fn a_wait_beyond_the_deadline_is_told_at_once() {
    for stream in [false, true] {
        let server = Server::new([busy().header("retry-after", "20"), fine()]).await;
        let before = Instant::now();
        let messages = [Message::user("?")];
        let request = Request::new(&messages).deadline(Some(before + Duration::from_secs(10)));
        let error = ask(&server.model(), request, stream).await.unwrap_err();
        assert_eq!((error.kind(), error.get_retry_after()), (Kind::Overloaded, Some(Duration::from_secs(20))));
        assert!(before.elapsed() < Duration::from_secs(1));
    }
}

#[tokio::test(start_paused = true)]
async fn a_wait_longer_than_may_be_asked_for_is_told_at_once() {
    for stream in [false, true] {
        let server = Server::new([busy().header("retry-after", "20"), fine()]).await;
        let before = Instant::now();
        let model = server.builder().max_retry_after(Duration::from_secs(19)).build().unwrap();
        let error = ask(&model, Request::new(&[Message::user("?")]), stream).await.unwrap_err();
        assert_eq!((error.get_attempts(), error.get_retry_after()), (1, Some(Duration::from_secs(20))));
        assert!(before.elapsed() < Duration::from_secs(1));
    }
}
