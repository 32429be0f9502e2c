//! A server on a loopback port that gives one answer, byte for byte.

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    /// Where the body is flushed.
    pub(crate) split_at: Vec<usize>,
    /// Whether the connection drops before the end.
    pub(crate) abort: bool,
}

/// Starts the server; gives the base URL and the body that it will have been sent.
pub(crate) async fn serve(response: Response) -> (String, JoinHandle<std::io::Result<Vec<u8>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let request = tokio::spawn(async move {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let mut stream = BufReader::new(stream);
        let request = read_request(&mut stream).await?;
        // The client may go away early, which is its right.
        let _ = answer(&mut stream, response).await;
        Ok(request)
    });
    (format!("http://{address}/v1"), request)
}

async fn answer(stream: &mut BufReader<TcpStream>, response: Response) -> std::io::Result<()> {
    let mut head = format!("HTTP/1.1 {} Status\r\ntransfer-encoding: chunked\r\n", response.status);
    for (name, value) in &response.headers {
        head += &format!("{name}: {value}\r\n");
    }
    stream.write_all((head + "\r\n").as_bytes()).await?;
    let mut from = 0;
    for end in response.split_at.iter().copied().chain([response.body.len()]) {
        let part = &response.body[from..end];
        if !part.is_empty() {
            // One chunk of HTTP each, which the client is given as it is.
            let chunk = [format!("{:x}\r\n", part.len()).as_bytes(), part, b"\r\n"].concat();
            stream.write_all(&chunk).await?;
            stream.flush().await?;
            tokio::task::yield_now().await;
        }
        from = end;
    }
    if !response.abort {
        stream.write_all(b"0\r\n\r\n").await?;
    }
    stream.shutdown().await
}

pub(crate) async fn read_request(stream: &mut BufReader<TcpStream>) -> std::io::Result<Vec<u8>> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).await?;
        if line.trim().is_empty() {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await?;
    Ok(body)
}
