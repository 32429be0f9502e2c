//! A server on a loopback port that speaks the chat-completions and the Messages format, and answers from a script.
//!
//! It refuses each request that is not as the program's own must be, with status 400 and what is wrong.

mod conversation;
mod http;
mod messages;
mod shown;
mod stream;
mod wire;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::BufReader;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

pub use self::conversation::{Answered, Conversation, Expected};
use self::http::Request;
use self::wire::Body;

/// A reply of the scripted model.
#[derive(Debug)]
pub enum Reply {
    /// It asks for these calls.
    Calls(Vec<Call>),
    /// It speaks.
    Text(String),
}

/// A call that the scripted model asks for.
#[derive(Debug)]
pub struct Call {
    /// Its id, of which there is one in a conversation.
    pub id: &'static str,
    /// The tool.
    pub name: &'static str,
    /// The arguments, as JSON text.
    pub arguments: String,
}

/// What requests must hold, and what is answered to them.
struct Played {
    expected: Expected,
    /// How long it thinks, and about that long again it writes, where it is asked to stream.
    thinks: Duration,
    script: Box<dyn Fn(&Conversation) -> Reply + Send + Sync>,
}

/// What is sent in answer to a request.
enum Sent {
    Whole(u16, String),
    Streamed(Vec<String>),
}

/// A server; it stops when it is dropped.
pub struct Server {
    address: SocketAddr,
    task: JoinHandle<()>,
}

impl Server {
    /// Takes a free port and answers on it, after the time that the model thinks.
    ///
    /// # Errors
    ///
    /// There is no port to be had.
    pub async fn start(
        expected: Expected,
        thinks: Duration,
        script: impl Fn(&Conversation) -> Reply + Send + Sync + 'static,
    ) -> io::Result<Self> {
        let played = Arc::new(Played { expected, thinks, script: Box::new(script) });
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let task = tokio::spawn(async move {
            // Without new connections the client reports what it could not reach.
            while let Ok((stream, _)) = listener.accept().await {
                let played = played.clone();
                // A client that goes away ends its connection and nothing else.
                tokio::spawn(async move { serve(stream, &played).await.ok() });
            }
        });
        Ok(Self { address, task })
    }

    /// What goes into `base_url`, of either format.
    pub fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Answers the requests of one connection, one after the other.
async fn serve(stream: TcpStream, played: &Played) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut stream = BufReader::new(stream);
    loop {
        match http::read(&mut stream).await {
            Ok(None) => return Ok(()),
            Ok(Some(request)) => {
                let sent = answer(&request, played);
                tokio::time::sleep(played.thinks).await;
                match sent {
                    Sent::Whole(status, body) => http::write(&mut stream, status, &body).await?,
                    Sent::Streamed(events) => http::stream(&mut stream, &events, played.thinks).await?,
                }
            }
            // Where one request ends badly, nobody knows where the next one begins.
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                return http::write(&mut stream, 400, &refusal(&error.to_string()).to_string()).await;
            }
            Err(error) => return Err(error),
        }
    }
}

/// What is sent in answer to a request.
fn answer(request: &Request, played: &Played) -> Sent {
    type Write<T> = fn(&Reply, &Conversation, usize) -> T;
    let (body, whole, streamed): (_, Write<String>, Write<Vec<String>>) =
        match (request.method.as_str(), request.path.as_str()) {
            ("POST", "/v1/chat/completions") => (Body::read(&request.body), completion, stream::completion),
            ("POST", "/v1/messages") => (messages::read(&request.body), messages::written, stream::message),
            (method, path) => {
                let message = format!("there is no {method} {path}; POST to /v1/chat/completions or /v1/messages");
                return Sent::Whole(404, refusal(&message).to_string());
            }
        };
    let streams = body.as_ref().is_ok_and(|body| body.stream);
    let conversation = match body.and_then(|body| Conversation::of(body, &played.expected)) {
        Ok(conversation) => conversation,
        Err(what) => return Sent::Whole(400, refusal(&what).to_string()),
    };
    let reply = (played.script)(&conversation);
    if streams {
        Sent::Streamed(streamed(&reply, &conversation, request.body.len()))
    } else {
        Sent::Whole(200, whole(&reply, &conversation, request.body.len()))
    }
}

/// Why a request is refused; both formats find it where they look.
fn refusal(message: &str) -> Value {
    json!({ "type": "error", "error": { "message": message, "type": "invalid_request_error", "param": null, "code": null } })
}

fn completion(reply: &Reply, conversation: &Conversation, request_bytes: usize) -> String {
    let (message, finish) = match reply {
        Reply::Text(text) => (json!({ "role": "assistant", "content": text, "refusal": null }), "stop"),
        Reply::Calls(calls) => {
            let calls: Vec<_> = calls
                .iter()
                .map(|call| {
                    let function = json!({ "name": call.name, "arguments": call.arguments });
                    json!({ "id": call.id, "type": "function", "function": function })
                })
                .collect();
            (json!({ "role": "assistant", "content": null, "refusal": null, "tool_calls": calls }), "tool_calls")
        }
    };
    let (prompt, completion) = (tokens(request_bytes), tokens(message.to_string().len()));
    json!({
        "id": format!("chatcmpl-scripted-{}", conversation.turns + 1),
        "object": "chat.completion",
        "created": 0,
        "model": conversation.model,
        "choices": [{ "index": 0, "message": message, "logprobs": null, "finish_reason": finish }],
        "usage": {
            "prompt_tokens": prompt,
            "completion_tokens": completion,
            "total_tokens": prompt + completion,
        },
    })
    .to_string()
}

/// About what a tokenizer would count.
fn tokens(bytes: usize) -> usize {
    bytes.div_ceil(4)
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use agent_core::Observation;

    use super::*;

    const NOTHING: Expected = Expected { tools: &[], must_call: false, shown: Observation::Envelope };

    /// What the server answers to bytes, until it or the client closes.
    async fn sent(bytes: &str) -> String {
        let server = Server::start(NOTHING, Duration::ZERO, |_| Reply::Text(String::new())).await.unwrap();
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        stream.write_all(bytes.as_bytes()).await.unwrap();
        stream.shutdown().await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }

    #[tokio::test]
    async fn a_wrong_request_is_answered_with_400_and_what_is_wrong() {
        let post = "POST /v1/chat/completions HTTP/1.1\r\ncontent-type: application/json\r\n";
        for (request, status, said) in [
            (format!("{post}content-length: 2\r\n\r\n{{}}"), "400", "missing field `model`"),
            (format!("{post}content-length: x\r\n\r\n"), "400", "content-length is no number"),
            (format!("{post}content-length: 99999999999\r\n\r\n"), "400", "the body is too long"),
            (format!("{post}transfer-encoding: chunked\r\n\r\n0\r\n\r\n"), "400", "send a content-length"),
            ("nonsense\r\n\r\n".to_owned(), "400", "no request line"),
            ("GET /v1/models HTTP/1.1\r\n\r\n".to_owned(), "404", "POST to /v1/chat/completions"),
        ] {
            let answer = sent(&request).await;
            assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")) && answer.contains(said), "{said}: {answer}");
        }
    }
}
