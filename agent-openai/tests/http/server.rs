//! A queue of answers on a loopback port; each connection takes one, and what was asked is kept.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex};

use agent_openai::{Builder, OpenAi};
use jsonschema::Validator;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// What the server does with one connection.
pub(crate) enum Answer {
    /// Sends this, with a length.
    Send { status: u16, headers: Vec<(&'static str, String)>, body: Vec<u8> },
    /// Sends this, each piece for itself.
    Cut(Vec<Vec<u8>>),
    /// Sends these pieces of a body, each for itself, and keeps the connection open after that.
    Hang(Vec<&'static str>),
    /// The same, and comments from then on, one each fifteen seconds.
    Beat(Vec<&'static str>),
    /// Closes the connection after the request.
    Close,
}

impl Answer {
    pub(crate) fn json(status: u16, body: &Value) -> Self {
        Self::text(status, "application/json", body.to_string())
    }

    pub(crate) fn text(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self::Send { status, headers: vec![("content-type", content_type.to_owned())], body: body.into() }
    }

    pub(crate) fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        if let Self::Send { headers, .. } = &mut self {
            headers.push((name, value.into()));
        }
        self
    }
}

/// What the server was asked.
#[derive(Debug)]
pub(crate) struct Asked {
    pub(crate) line: String,
    /// In lower case.
    pub(crate) headers: Vec<String>,
    pub(crate) body: Value,
    /// The body as it came.
    pub(crate) text: String,
}

impl Asked {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find_map(|header| header.strip_prefix(name)?.strip_prefix(": "))
    }
}

pub(crate) struct Server {
    pub(crate) base_url: String,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Server {
    pub(crate) async fn new(answers: impl IntoIterator<Item = Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}/v1", listener.local_addr().unwrap());
        let asked = Arc::<Mutex<Vec<Asked>>>::default();
        let mut answers: VecDeque<Answer> = answers.into_iter().collect();
        let keep = Arc::clone(&asked);
        tokio::spawn(async move {
            while let Some(answer) = answers.pop_front() {
                let (stream, _) = listener.accept().await.unwrap();
                serve(BufReader::new(stream), answer, &keep).await.unwrap();
            }
        });
        Self { base_url, asked }
    }

    pub(crate) fn builder(&self) -> Builder {
        OpenAi::builder().base_url(&self.base_url)
    }

    /// A model that tries again at once.
    pub(crate) fn model(&self) -> OpenAi {
        self.builder().retry_waits(Default::default(), Default::default()).build().unwrap()
    }

    /// What was asked since the last time.
    pub(crate) fn asked(&self) -> Vec<Asked> {
        std::mem::take(&mut self.asked.lock().unwrap())
    }
}

async fn serve(mut stream: BufReader<TcpStream>, answer: Answer, asked: &Mutex<Vec<Asked>>) -> std::io::Result<()> {
    let request = read(&mut stream).await?;
    asked.lock().unwrap().push(request);
    match answer {
        Answer::Send { status, headers, body } => {
            let mut head = format!("HTTP/1.1 {status} Status\r\nconnection: close\r\n");
            headers.iter().for_each(|(name, value)| head += &format!("{name}: {value}\r\n"));
            head += &format!("content-length: {}\r\n\r\n", body.len());
            stream.write_all(&[head.as_bytes(), &body].concat()).await
        }
        Answer::Cut(pieces) => {
            let head = "HTTP/1.1 200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n";
            stream.write_all(head.as_bytes()).await?;
            for piece in pieces.iter().filter(|piece| !piece.is_empty()) {
                // One chunk of HTTP each, which the client is given as it is.
                stream.write_all(&[format!("{:x}\r\n", piece.len()).as_bytes(), piece, b"\r\n"].concat()).await?;
            }
            stream.write_all(b"0\r\n\r\n").await
        }
        Answer::Hang(ref pieces) | Answer::Beat(ref pieces) => {
            if !pieces.is_empty() {
                stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n").await?;
            }
            for piece in pieces {
                stream.write_all(piece.as_bytes()).await?;
            }
            let beats = matches!(answer, Answer::Beat(_));
            // Kept by the task below until the client goes away.
            tokio::spawn(async move {
                if beats {
                    loop {
                        tokio::time::sleep(std::time::Duration::from_secs(15)).await;
                        stream.write_all(b": still here\n\n").await?;
                    }
                }
                stream.read_to_end(&mut Vec::new()).await
            });
            Ok(())
        }
        Answer::Close => Ok(()),
    }
}

async fn read(stream: &mut BufReader<TcpStream>) -> std::io::Result<Asked> {
    let mut line = String::new();
    stream.read_line(&mut line).await?;
    let mut headers = Vec::new();
    loop {
        let mut header = String::new();
        stream.read_line(&mut header).await?;
        match header.trim_end() {
            "" => break,
            header => {
                let (name, value) = header.split_once(": ").unwrap();
                headers.push(format!("{}: {value}", name.to_ascii_lowercase()));
            }
        }
    }
    let mut asked = Asked { line: line.trim_end().to_owned(), headers, body: Value::Null, text: String::new() };
    let length = asked.header("content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    asked.text = String::from_utf8(body).unwrap();
    asked.body = serde_json::from_str(&asked.text).unwrap();
    check(&asked.body);
    Ok(asked)
}

/// Holds a request against OpenAI's own schema. It lies outside the repository; `OPENAPI_SCHEMAS` names its folder,
/// `../shared/openapi` otherwise. Where there is none, the tests of `tests/openapi.rs` say so.
pub(crate) fn check(body: &Value) {
    static SCHEMA: LazyLock<Option<Validator>> = LazyLock::new(|| {
        let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/openapi");
        let folder = std::env::var_os("OPENAPI_SCHEMAS").map_or_else(default, PathBuf::from);
        // The one that takes fields of other servers too.
        let text = std::fs::read(folder.join("create-chat-completion-request.schema.json")).ok()?;
        Some(jsonschema::validator_for(&serde_json::from_slice(&text).unwrap()).unwrap())
    });
    if let Some(schema) = &*SCHEMA {
        let problems: Vec<_> =
            schema.iter_errors(body).map(|error| format!("{}: {error}", error.instance_path())).collect();
        assert!(problems.is_empty(), "{problems:?} in {body}");
    }
}
