//! As much of HTTP/1.1 as one client on the same machine needs.

use std::io;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

const MOST_LINE: u64 = 8 * 1024;
const MOST_HEADERS: usize = 64;
const MOST_BODY: usize = 4 * 1024 * 1024;

/// A request.
pub(super) struct Request {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) body: Vec<u8>,
}

/// The next request of a connection; none once the client has closed it.
///
/// An error of the kind `InvalidData` is the client's, its text says what is wrong.
pub(super) async fn read(stream: &mut BufReader<TcpStream>) -> io::Result<Option<Request>> {
    let first = line(stream).await?;
    if first.is_empty() {
        return Ok(None);
    }
    let mut words = first.split_whitespace().map(str::to_owned);
    let (Some(method), Some(path)) = (words.next(), words.next()) else { return Err(wrong("no request line")) };
    let length = headers(stream).await?;
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    Ok(Some(Request { method, path, body }))
}

/// Reads the headers; gives the length of the body.
async fn headers(stream: &mut BufReader<TcpStream>) -> io::Result<usize> {
    let mut length = 0;
    let mut is_json = false;
    for _ in 0..MOST_HEADERS {
        let line = line(stream).await?;
        let line = line.trim_end();
        if line.is_empty() {
            return if is_json || length == 0 { Ok(length) } else { Err(wrong("the body is not application/json")) };
        }
        let Some((name, value)) = line.split_once(':') else { return Err(wrong("a header without a colon")) };
        let (name, value) = (name.to_ascii_lowercase(), value.trim());
        match name.as_str() {
            "content-length" => length = value.parse().map_err(|_| wrong("content-length is no number"))?,
            "content-type" => is_json = value.starts_with("application/json"),
            "transfer-encoding" => return Err(wrong("send a content-length, not chunks")),
            _ => {}
        }
        if length > MOST_BODY {
            return Err(wrong("the body is too long"));
        }
    }
    Err(wrong("too many headers"))
}

/// A line, its end included; empty at the end of the stream.
async fn line(stream: &mut BufReader<TcpStream>) -> io::Result<String> {
    let mut line = String::new();
    stream.take(MOST_LINE).read_line(&mut line).await?;
    if line.is_empty() || line.ends_with('\n') { Ok(line) } else { Err(wrong("a line is too long or cut")) }
}

fn wrong(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("bad HTTP request: {what}"))
}

/// Answers with JSON.
pub(super) async fn write(stream: &mut BufReader<TcpStream>, status: u16, body: &str) -> io::Result<()> {
    let reason = match status {
        200 => "OK",
        404 => "Not Found",
        _ => "Bad Request",
    };
    let length = body.len();
    let response = format!(
        "HTTP/1.1 {status} {reason}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
    );
    stream.write_all(response.as_bytes()).await?;
    stream.flush().await
}

/// Answers with events, each in a chunk of its own, spread over this time.
pub(super) async fn stream(stream: &mut BufReader<TcpStream>, events: &[String], over: Duration) -> io::Result<()> {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    stream.write_all(head.as_bytes()).await?;
    let between = over / u32::try_from(events.len().max(1)).unwrap_or(u32::MAX);
    for event in events {
        tokio::time::sleep(between).await;
        stream.write_all(format!("{:x}\r\n{event}\r\n", event.len()).as_bytes()).await?;
        stream.flush().await?;
    }
    stream.write_all(b"0\r\n\r\n").await?;
    stream.flush().await
}
