//! A server that answers as its address says: `/turns/3/think/1000/v1` asks for three calls, one a turn, each after a
//! second, and then says a text; `/gate/100/v1` answers once a hundred requests wait, a second later.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use memchr::memmem;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::Notify;

/// A server in a thread of its own, as long as the process lives.
#[derive(Clone)]
pub struct Server {
    address: SocketAddr,
    shared: Arc<Shared>,
}

/// What all connections know.
#[derive(Default)]
struct Shared {
    /// Bodies that were sent, while somebody wants them.
    kept: Mutex<Option<Vec<Vec<u8>>>>,
    /// How many wait at the gate.
    waiting: AtomicUsize,
    gate: Notify,
}

impl Server {
    /// A server on a port of the system's choice.
    ///
    /// # Panics
    ///
    /// Where the machine has no loopback.
    pub fn start() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        // Ten thousand connect at once.
        let listener = runtime.block_on(async {
            let socket = TcpSocket::new_v4().unwrap();
            socket.bind(SocketAddr::from(([127, 0, 0, 1], 0))).unwrap();
            socket.listen(16_384).unwrap()
        });
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared::default());
        let inner = shared.clone();
        std::thread::spawn(move || runtime.block_on(serve(listener, inner)));
        Self { address, shared }
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The base URL of this script: `turns/3/think/1000`.
    pub fn url(&self, script: &str) -> String {
        url(self.address, script)
    }

    /// The bodies of all requests while `work` goes on.
    ///
    /// # Panics
    ///
    /// After a panic of the server's thread.
    pub fn sent<T>(&self, work: impl FnOnce() -> T) -> Vec<Vec<u8>> {
        *self.shared.kept.lock().unwrap() = Some(Vec::new());
        work();
        self.shared.kept.lock().unwrap().take().unwrap()
    }
}

/// The base URL of this script on a server at this address.
pub fn url(address: SocketAddr, script: &str) -> String {
    format!("http://{address}/{script}/v1")
}

async fn serve(listener: TcpListener, shared: Arc<Shared>) {
    loop {
        if let Ok((stream, _)) = listener.accept().await {
            let shared = shared.clone();
            tokio::spawn(async move {
                // A client that went away is no matter.
                let _ = connection(stream, &shared).await;
            });
        }
    }
}

async fn connection(mut stream: TcpStream, shared: &Shared) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let mut buffer = Vec::new();
    loop {
        let (head, whole) = loop {
            if let Some(head) = memmem::find(&buffer, b"\r\n\r\n") {
                let head = head + 4;
                let whole = head + content_length(&buffer[..head]);
                buffer.reserve(whole.saturating_sub(buffer.len()));
                if buffer.len() >= whole {
                    break (head, whole);
                }
            }
            if stream.read_buf(&mut buffer).await? == 0 {
                return Ok(());
            }
        };
        let script = Script::of(&buffer[..head]);
        let body = &buffer[head..whole];
        if let Some(kept) = &mut *shared.kept.lock().unwrap() {
            kept.push(body.to_vec());
        }
        let done = if script.turns == 0 { 0 } else { memmem::find_iter(body, br#""role":"tool""#).count() };
        let streams = memmem::rfind(body, br#""stream":true"#).is_some();
        buffer.drain(..whole);
        if script.gate > 0 {
            shared.wait(script.gate).await;
        }
        if !script.think.is_zero() {
            tokio::time::sleep(script.think).await;
        }
        stream.write_all(&script.answer(done, streams)).await?;
    }
}

impl Shared {
    /// Until so many wait, and a second more.
    async fn wait(&self, most: usize) {
        let opened = self.gate.notified();
        if self.waiting.fetch_add(1, Ordering::Relaxed) + 1 < most {
            return opened.await;
        }
        self.waiting.store(0, Ordering::Relaxed);
        tokio::time::sleep(Duration::from_secs(1)).await;
        self.gate.notify_waiters();
    }
}

fn content_length(head: &[u8]) -> usize {
    let head = String::from_utf8_lossy(head).to_ascii_lowercase();
    let value = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    value.and_then(|value| value.trim().parse().ok()).unwrap_or(0)
}

#[derive(Default)]
struct Script {
    /// Calls before the text, one a turn.
    turns: usize,
    /// Pieces of a streamed text.
    events: usize,
    /// Before each answer.
    think: Duration,
    /// Requests that must wait before any is answered.
    gate: usize,
}

impl Script {
    fn of(head: &[u8]) -> Self {
        let head = String::from_utf8_lossy(head);
        let path = head.split(' ').nth(1).unwrap_or_default();
        let mut script = Self { events: 1, ..Self::default() };
        let mut words = path.split('/');
        while let Some(word) = words.next() {
            let mut number = || words.next().and_then(|number| number.parse().ok()).unwrap_or(0);
            match word {
                "turns" => script.turns = number(),
                "events" => script.events = number(),
                "gate" => script.gate = number(),
                "think" => script.think = Duration::from_millis(number() as u64),
                _ => {}
            }
        }
        script
    }

    fn answer(&self, done: usize, streams: bool) -> Vec<u8> {
        if !streams {
            let body = self.completion(done);
            let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ";
            return format!("{head}{}\r\n\r\n{body}", body.len()).into_bytes();
        }
        let mut out =
            b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
        for event in self.events(done) {
            let event = format!("data: {event}\n\n");
            out.extend_from_slice(format!("{:x}\r\n{event}\r\n", event.len()).as_bytes());
        }
        out.extend_from_slice(b"0\r\n\r\n");
        out
    }

    fn completion(&self, done: usize) -> String {
        let (message, reason) = if done < self.turns {
            let call = call(done);
            (format!(r#"{{"role":"assistant","content":null,"tool_calls":[{call}]}}"#), "tool_calls")
        } else {
            (r#"{"role":"assistant","content":"Done."}"#.to_owned(), "stop")
        };
        format!(
            r#"{{"id":"chatcmpl-1","object":"chat.completion","created":1700000000,"model":"mock-1","choices":[{{"index":0,"message":{message},"finish_reason":"{reason}"}}],"usage":{USAGE}}}"#
        )
    }

    fn events(&self, done: usize) -> impl Iterator<Item = String> {
        let chunk = |delta: &str, reason: &str| {
            format!(
                r#"{{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"mock-1","choices":[{{"index":0,"delta":{delta},"finish_reason":{reason}}}]}}"#
            )
        };
        let mut all = Vec::new();
        let reason = if done < self.turns {
            let call = call(done).replacen('{', r#"{"index":0,"#, 1);
            all.push(chunk(&format!(r#"{{"role":"assistant","tool_calls":[{call}]}}"#), "null"));
            "tool_calls"
        } else {
            all.push(chunk(r#"{"role":"assistant","content":""}"#, "null"));
            all.extend((0..self.events).map(|_| chunk(r#"{"content":"word"}"#, "null")));
            "stop"
        };
        all.push(chunk("{}", &format!(r#""{reason}""#)));
        all.push(format!(
            r#"{{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"mock-1","choices":[],"usage":{USAGE}}}"#
        ));
        all.push("[DONE]".to_owned());
        all.into_iter()
    }
}

const USAGE: &str = r#"{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}"#;

fn call(number: usize) -> String {
    format!(
        r#"{{"id":"call_{number}","type":"function","function":{{"name":"fetch","arguments":"{{\"step\":{number}}}"}}}}"#
    )
}
