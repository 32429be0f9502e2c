//! What is tried again, and how long is waited. The clock stands still and jumps to the next timer when nothing
//! else is to be done.

use std::time::Duration;

use agent_core::model::{Message, Model, ModelErrorKind as Kind, Request};
use serde_json::json;
use tokio::time::Instant;

use crate::ask;
use crate::server::{Answer, Server};

fn busy() -> Answer {
    Answer::json(529, &json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}))
}

fn fine() -> Answer {
    Answer::json(200, &json!({"content": [{"type": "text", "text": "ok"}], "stop_reason": "end_turn"}))
}

#[tokio::test]
async fn the_same_bytes_go_out_again_until_there_is_an_answer() {
    let server = Server::new([busy(), Answer::Close, fine()]).await;
    let reply = server.model().reply(Request::new(&[Message::user("?")])).await.unwrap();
    let asked = server.asked();
    assert!(reply.attempts == 3 && asked.len() == 3 && asked.iter().all(|request| request.body == asked[0].body));
}

#[tokio::test(start_paused = true)]
async fn a_wait_that_the_server_asks_for_is_kept_whole() {
    for stream in [false, true] {
        let server = Server::new([busy().header("retry-after", "20"), fine()]).await;
        let before = Instant::now();
        ask(&server.model(), Request::new(&[Message::user("?")]), stream).await.unwrap();
        assert_eq!(before.elapsed().as_secs(), 20);
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
async fn the_deadline_ends_attempt_and_retries() {
    let server = Server::new([Answer::Hang(vec!["{\"content\":"]), Answer::Hang(vec![])]).await;
    let before = Instant::now();
    let messages = [Message::user("?")];
    let request = Request::new(&messages).deadline(Some(before + Duration::from_secs(5)));
    let error = server.model().reply(request).await.unwrap_err();
    assert_eq!((error.kind(), error.get_attempts(), before.elapsed().as_secs()), (Kind::Timeout, 1, 5));
}
