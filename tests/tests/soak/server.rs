//! A server that picks for each request, by chance that is the same each time, how to answer.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

use crate::request_schema;

type Stream = BufReader<TcpStream>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Mode {
    /// What was asked for.
    Right,
    /// A stream where a whole reply was asked for, or the other way.
    Swapped,
    /// A page.
    Page,
    /// The connection is closed without an answer.
    Dropped,
    /// It is closed inside the head.
    HalfHead,
    /// It is closed inside the body, which was to be longer.
    HalfBody,
    /// Nothing comes, and the connection stays open.
    Silent,
    /// Part of the body comes, and then nothing.
    Stalled,
    /// The reply comes without its end, and the connection stays open.
    Endless,
    /// Comments alone, one after the other.
    Heartbeat,
    /// White space without end.
    Blank,
    /// Bytes of no format.
    Garbage,
    /// An error inside a status of success.
    ErrorInside,
    TooMany,
    Failing,
    Busy,
    Unauthorized,
    Redirect,
}

use Mode::*;

/// Half of the answers are right, so that runs get on to their second turn.
const FAULTS: [Mode; 17] = [
    Swapped,
    Page,
    Dropped,
    HalfHead,
    HalfBody,
    Silent,
    Stalled,
    Endless,
    Heartbeat,
    Blank,
    Garbage,
    ErrorInside,
    TooMany,
    Failing,
    Busy,
    Unauthorized,
    Redirect,
];
pub(crate) const MODES: usize = FAULTS.len() + 1;

#[derive(Default)]
struct Counts {
    modes: Mutex<BTreeMap<Mode, usize>>,
    chance: AtomicUsize,
    /// What was wrong with requests.
    problems: Mutex<Vec<String>>,
}

pub(crate) struct Server {
    pub(crate) base_url: String,
    pub(crate) open: Arc<AtomicUsize>,
    pub(crate) most_open: Arc<AtomicUsize>,
    counts: Arc<Counts>,
}

impl Server {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
        let server = Self { base_url, open: Arc::default(), most_open: Arc::default(), counts: Arc::default() };
        let (open, most_open, counts) =
            (Arc::clone(&server.open), Arc::clone(&server.most_open), Arc::clone(&server.counts));
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                let now = open.fetch_add(1, Ordering::SeqCst) + 1;
                most_open.fetch_max(now, Ordering::SeqCst);
                let (open, counts) = (Arc::clone(&open), Arc::clone(&counts));
                tokio::spawn(async move {
                    // The client may go away whenever it likes.
                    let _ = connection(BufReader::new(stream), &counts).await;
                    open.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        server
    }

    pub(crate) fn modes(&self) -> BTreeMap<Mode, usize> {
        self.counts.modes.lock().unwrap().clone()
    }

    pub(crate) fn problems(&self) -> Vec<String> {
        self.counts.problems.lock().unwrap().clone()
    }

    pub(crate) fn served(&self) -> usize {
        self.modes().values().sum()
    }
}

impl Counts {
    fn mode(&self) -> Mode {
        let number = self.chance.fetch_add(1, Ordering::SeqCst);
        let chance = (number as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 33;
        let mode = if chance.is_multiple_of(2) { Right } else { FAULTS[(chance / 2) as usize % FAULTS.len()] };
        *self.modes.lock().unwrap().entry(mode).or_default() += 1;
        mode
    }
}

/// Serves requests on one connection until it is closed.
async fn connection(mut stream: Stream, counts: &Counts) -> std::io::Result<()> {
    while let Some(body) = request(&mut stream).await? {
        counts.problems.lock().unwrap().extend(request_schema::problems(&body));
        let wants_stream = body["stream"] == true;
        // After a result comes the answer, before it a call.
        let has_result = body["messages"].as_array().unwrap().iter().any(|message| message["role"] == "tool");
        let (whole, events) = (whole(has_result), events(has_result));
        let (kind, text) = if wants_stream { ("text/event-stream", &events) } else { ("application/json", &whole) };
        match counts.mode() {
            Right => send(&mut stream, 200, kind, text, text.len()).await?,
            Swapped => {
                let other = if wants_stream { &whole } else { &events };
                send(&mut stream, 200, kind, other, other.len()).await?;
            }
            Page => send(&mut stream, 200, "text/html", "<html><title>Sign in</title>", 28).await?,
            Dropped => return Ok(()),
            HalfHead => return stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-ty").await,
            HalfBody => return send(&mut stream, 200, kind, &text[..text.len() / 2], text.len()).await,
            Silent => return gone(&mut stream).await,
            Stalled => {
                send(&mut stream, 200, kind, &text[..text.len() / 2], text.len()).await?;
                return gone(&mut stream).await;
            }
            Endless => {
                let end = text.find("data: [DONE]").unwrap_or(text.len());
                send(&mut stream, 200, kind, &text[..end], text.len() + 1).await?;
                return gone(&mut stream).await;
            }
            Heartbeat => {
                send(&mut stream, 200, kind, "", usize::MAX / 2).await?;
                loop {
                    stream.write_all(b": still here\n\n").await?;
                    tokio::time::sleep(std::time::Duration::from_secs(5)).await;
                }
            }
            Blank => {
                send(&mut stream, 200, kind, "", usize::MAX / 2).await?;
                loop {
                    stream.write_all(&[b' '; 4096]).await?;
                }
            }
            Garbage => send(&mut stream, 200, kind, "\u{0}\u{1}{]data: \u{fffd}", 15).await?,
            ErrorInside => {
                let error = json!({"error": {"message": "overloaded", "code": 503}}).to_string();
                let error = if wants_stream { format!("data: {error}\n\n") } else { error };
                send(&mut stream, 200, kind, &error, error.len()).await?;
            }
            TooMany => send(&mut stream, 429, kind, "{}\r\n", 4).await?,
            Failing => send(&mut stream, 500, "text/plain", "oh", 2).await?,
            Busy => send(&mut stream, 503, "text/plain", "", 0).await?,
            Unauthorized => send(&mut stream, 401, kind, r#"{"error":"who?"}"#, 16).await?,
            Redirect => send(&mut stream, 307, "text/plain", "", 0).await?,
        }
    }
    Ok(())
}

/// Waits until the client is gone.
async fn gone(stream: &mut Stream) -> std::io::Result<()> {
    stream.read_to_end(&mut Vec::new()).await.map(|_| ())
}

async fn send(stream: &mut Stream, status: u16, kind: &str, body: &str, length: usize) -> std::io::Result<()> {
    let more = match status {
        429 => "retry-after: 1\r\n",
        307 => "location: http://127.0.0.1:9/\r\n",
        _ => "",
    };
    let head = format!("HTTP/1.1 {status} Status\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n{more}\r\n");
    stream.write_all(&[head.as_bytes(), body.as_bytes()].concat()).await
}

fn message(has_result: bool) -> (Value, &'static str) {
    match has_result {
        true => (json!({"content": "It is noon."}), "stop"),
        false => {
            let function = json!({"name": "time_in", "arguments": "{\"city\":\"Dhaka\"}"});
            (json!({"tool_calls": [{"index": 0, "id": "c", "function": function}]}), "tool_calls")
        }
    }
}

fn whole(has_result: bool) -> String {
    let (message, reason) = message(has_result);
    json!({"choices": [{"message": message, "finish_reason": reason}]}).to_string()
}

fn events(has_result: bool) -> String {
    let (delta, reason) = message(has_result);
    let chunk = |choice: Value| format!("data: {}\n\n", json!({"choices": [choice]}));
    [
        chunk(json!({"delta": delta})),
        chunk(json!({"delta": {}, "finish_reason": reason})),
        "data: [DONE]\n\n".to_owned(),
    ]
    .concat()
}

/// The body of a request; none where the client closed the connection.
async fn request(stream: &mut Stream) -> std::io::Result<Option<Value>> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await? == 0 {
            return Ok(None);
        }
        match line.trim().to_ascii_lowercase().split_once(": ") {
            Some(("content-length", value)) => length = value.parse().unwrap(),
            Some(_) => {}
            None if line.trim().is_empty() => break,
            None => {}
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    Ok(Some(serde_json::from_slice(&body).unwrap()))
}
