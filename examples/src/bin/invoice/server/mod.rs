//! A server on a loopback port that speaks the chat-completions format and answers from the script.

mod conversation;
mod http;
mod wire;

use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use serde_json::{Value, json};
use tokio::io::BufReader;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinHandle;

pub(crate) use self::conversation::{Answered, Conversation};
use self::http::Request;
use crate::script::{self, Reply, Scenario};

/// The server; it stops when it is dropped.
pub(crate) struct Server {
    address: SocketAddr,
    task: JoinHandle<()>,
}

impl Server {
    /// Takes a free port and answers on it.
    pub(crate) async fn start(scenario: Scenario) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let task = tokio::spawn(async move {
            // Without new connections the client reports what it could not reach.
            while let Ok((stream, _)) = listener.accept().await {
                // A client that goes away ends its connection and nothing else.
                tokio::spawn(async move { serve(stream, scenario).await.ok() });
            }
        });
        Ok(Self { address, task })
    }

    /// What goes into `base_url`.
    pub(crate) fn base_url(&self) -> String {
        format!("http://{}/v1", self.address)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Answers the requests of one connection, one after the other.
async fn serve(stream: TcpStream, scenario: Scenario) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut stream = BufReader::new(stream);
    loop {
        match http::read(&mut stream).await {
            Ok(None) => return Ok(()),
            Ok(Some(request)) => {
                let (status, body) = answer(&request, scenario);
                http::write(&mut stream, status, &body.to_string()).await?;
            }
            // Where one request ends badly, nobody knows where the next one begins.
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                return http::write(&mut stream, 400, &refusal(&error.to_string()).to_string()).await;
            }
            Err(error) => return Err(error),
        }
    }
}

/// Status and body for a request.
fn answer(request: &Request, scenario: Scenario) -> (u16, Value) {
    if (request.method.as_str(), request.path.as_str()) != ("POST", "/v1/chat/completions") {
        let message = format!("there is no {} {}; POST to /v1/chat/completions", request.method, request.path);
        return (404, refusal(&message));
    }
    match Conversation::read(&request.body) {
        Ok(conversation) => {
            let reply = script::reply(scenario, &conversation);
            (200, completion(&reply, &conversation, request.body.len()))
        }
        Err(what) => (400, refusal(&what)),
    }
}

fn refusal(message: &str) -> Value {
    json!({ "error": { "message": message, "type": "invalid_request_error", "param": null, "code": null } })
}

fn completion(reply: &Reply, conversation: &Conversation, request_bytes: usize) -> Value {
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
}

/// About what a tokenizer would count.
fn tokens(bytes: usize) -> usize {
    bytes.div_ceil(4)
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    /// What the server answers to bytes, until it or the client closes.
    async fn sent(bytes: &str) -> String {
        let server = Server::start(Scenario::Plain).await.unwrap();
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
