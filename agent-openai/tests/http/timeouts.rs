//! How long is waited. The clock stands still and jumps to the next timer when nothing else is to be done.

use std::time::Duration;

use agent_core::model::{Message, Model, ModelErrorKind as Kind, Request};
use tokio::time::Instant;

use crate::server::{Answer, Server};

#[tokio::test(start_paused = true)]
async fn an_attempt_ends_at_its_timeout_and_is_tried_again() {
    let server = Server::new([Answer::Hang(vec![]), Answer::Hang(vec![])]).await;
    let model = server.builder().timeout(Duration::from_secs(40)).max_retries(1).build().unwrap();
    let before = Instant::now();
    let error = model.reply(Request::new(&[Message::user("?")])).await.unwrap_err();
    assert_eq!((error.kind(), error.get_attempts()), (Kind::Timeout, 2));
    assert!(before.elapsed() >= Duration::from_secs(80));
}

#[tokio::test(start_paused = true)]
async fn the_deadline_ends_attempt_and_retries() {
    let server = Server::new([Answer::Hang(vec!["{\"choices\":"]), Answer::Hang(vec![])]).await;
    let before = Instant::now();
    let messages = [Message::user("?")];
    let request = Request::new(&messages).deadline(Some(before + Duration::from_secs(5)));
    let error = server.model().reply(request).await.unwrap_err();
    assert_eq!((error.kind(), error.get_attempts()), (Kind::Timeout, 1));
    assert_eq!(before.elapsed().as_secs(), 5);
}
