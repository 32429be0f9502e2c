//! How long is waited. The clock stands still and jumps to the next timer when nothing else is to be done.

use std::io::{ErrorKind, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use agent_core::model::{Message, Model, ModelErrorKind as Kind, Request};
use agent_openai::OpenAi;
use tokio::net::{TcpListener, TcpSocket};
use tokio::time::Instant;

use crate::ask;
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

/// An address on this machine that is silent to who connects: a listener whose queue is full. The connections fill it, so
/// they are to be kept. None, which is said, on a system that takes or refuses them instead.
fn full() -> Option<(SocketAddr, TcpListener, Vec<TcpStream>)> {
    let socket = TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(1).unwrap();
    let address = listener.local_addr().unwrap();
    let mut kept = Vec::new();
    for _ in 0..100 {
        match TcpStream::connect_timeout(&address, Duration::from_millis(100)) {
            Ok(stream) => kept.push(stream),
            Err(error) if error.kind() == ErrorKind::TimedOut => return Some((address, listener, kept)),
            Err(_) => break,
        }
    }
    let _ = writeln!(std::io::stderr(), "skipped: the queue of a listener cannot be filled here");
    None
}

#[tokio::test(start_paused = true)]
async fn a_server_that_takes_no_connection_is_given_up_at_the_timeout_for_that() {
    let Some((address, _listener, _kept)) = full() else { return };
    for stream in [false, true] {
        let builder = OpenAi::builder().base_url(format!("http://{address}/v1")).max_retries(1);
        let model = builder.connect_timeout(Duration::from_secs(1)).retry_waits(Duration::ZERO, Duration::ZERO);
        let before = Instant::now();
        let error = ask(&model.build().unwrap(), Request::new(&[Message::user("?")]), stream).await.unwrap_err();
        assert_eq!((error.kind(), error.is_retryable(), error.get_attempts()), (Kind::Timeout, true, 2));
        assert_eq!(before.elapsed().as_secs(), 2, "a second for each attempt");
        let words = format!("no connection to http://{address}/v1 in time; check the address and the network");
        assert_eq!(error.message(), words);
    }
}
