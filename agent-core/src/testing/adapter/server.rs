//! A server on a loopback port that answers as it is told to.

use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

/// What the server does with a request.
#[derive(Debug, Clone)]
pub(super) enum Answer {
    /// A whole body.
    Whole { status: u16, retry_after: Option<u64>, body: String },
    /// Events, and then the end of the body.
    Events(Vec<String>),
    /// Closes the connection without a word.
    Close,
    /// Says these events, and then nothing until the client goes.
    Hang(Vec<String>),
}

impl Answer {
    pub(super) fn fine(body: String) -> Self {
        Self::Whole { status: 200, retry_after: None, body }
    }
}

pub(super) struct Server {
    pub(super) base_url: String,
    state: Arc<State>,
    task: JoinHandle<()>,
}

#[derive(Default)]
struct State {
    asked: Mutex<Vec<String>>,
    /// The client has sent a request that hangs.
    hanging: Notify,
    /// The client has gone.
    gone: Notify,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Server {
    /// A server that gives each request the next answer, and closes the connection of one too many.
    pub(super) async fn new(answers: impl IntoIterator<Item = Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a loopback port");
        let address = listener.local_addr().expect("a bound port has an address");
        let state = Arc::<State>::default();
        let mut answers: VecDeque<Answer> = answers.into_iter().collect();
        let shared = Arc::clone(&state);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                // A client that goes away early is within its rights.
                let answer = answers.pop_front().unwrap_or(Answer::Close);
                let _ = serve(BufReader::new(stream), answer, &shared).await;
            }
        });
        Self { base_url: format!("http://{address}"), state, task }
    }

    /// The bodies that were sent so far.
    pub(super) fn asked(&self) -> Vec<String> {
        lock(&self.state.asked).clone()
    }

    /// Waits until a request hangs.
    pub(super) async fn hanging(&self) {
        self.state.hanging.notified().await;
    }

    /// Waits until its client has gone.
    pub(super) async fn gone(&self) {
        self.state.gone.notified().await;
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(mut stream: BufReader<TcpStream>, answer: Answer, state: &State) -> io::Result<()> {
    let body = read(&mut stream).await?;
    lock(&state.asked).push(body);
    match answer {
        Answer::Close => Ok(()),
        Answer::Whole { status, retry_after, body } => {
            let mut head =
                format!("HTTP/1.1 {status} Status\r\ncontent-type: application/json\r\nconnection: close\r\n");
            if let Some(seconds) = retry_after {
                head += &format!("retry-after: {seconds}\r\n");
            }
            head += &format!("content-length: {}\r\n\r\n{body}", body.len());
            stream.write_all(head.as_bytes()).await
        }
        Answer::Events(events) => say(&mut stream, &events).await,
        Answer::Hang(events) => {
            if !events.is_empty() {
                say(&mut stream, &events).await?;
            }
            state.hanging.notify_one();
            // It has nothing more to say; what is read is its end.
            let _ = stream.read_to_end(&mut Vec::new()).await;
            state.gone.notify_one();
            Ok(())
        }
    }
}

async fn say(stream: &mut BufReader<TcpStream>, events: &[String]) -> io::Result<()> {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n";
    stream.write_all(head.as_bytes()).await?;
    for event in events {
        stream.write_all(event.as_bytes()).await?;
        stream.flush().await?;
    }
    Ok(())
}

async fn read(stream: &mut BufReader<TcpStream>) -> io::Result<String> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await?;
        if line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().map_err(io::Error::other)?;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    String::from_utf8(body).map_err(io::Error::other)
}
