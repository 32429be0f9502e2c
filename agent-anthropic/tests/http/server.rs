//! A queue of answers on a loopback port; each connection takes one, and what was asked is kept.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use agent_anthropic::{Anthropic, Builder};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// What the server does with one connection.
pub(crate) enum Answer {
    /// Sends this, with a length.
    Send { status: u16, headers: Vec<(&'static str, String)>, body: Vec<u8> },
    /// Sends these pieces of a body, each for itself, and keeps the connection open after that.
    Hang(Vec<&'static str>),
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
        let base_url = format!("http://{}", listener.local_addr().unwrap());
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
        Anthropic::builder().base_url(&self.base_url)
    }

    /// A model that tries again at once.
    pub(crate) fn model(&self) -> Anthropic {
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
        Answer::Hang(pieces) => {
            if !pieces.is_empty() {
                stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n").await?;
            }
            for piece in pieces {
                stream.write_all(piece.as_bytes()).await?;
            }
            // Kept by the task below until the client goes away.
            tokio::spawn(async move { stream.read_to_end(&mut Vec::new()).await });
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
    Ok(asked)
}
