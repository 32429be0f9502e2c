//! The model against a server on a loopback port.

#![allow(clippy::unwrap_used, reason = "clippy takes the helpers of a test for no test")]

mod conformance;
mod echo;
mod errors;
mod limits;
mod order;
mod pauses;
mod quirks;
mod requests;
mod security;
mod server;
mod times;

use agent_core::model::{Delta, Message, Model, ModelError, Reply, Request};
use futures_util::StreamExt;

/// The whole reply, asked for plain or as a stream.
async fn ask(model: &agent_anthropic::Anthropic, request: Request<'_>, stream: bool) -> Result<Reply, ModelError> {
    if !stream {
        return model.reply(request).await;
    }
    match model.stream(request).collect::<Vec<_>>().await.pop().unwrap()? {
        Delta::Done(reply) => Ok(reply),
        other => panic!("a stream ends with its reply and not with {other:?}"),
    }
}

/// What the loop makes of a reply.
fn spoken(reply: &Reply) -> Message {
    let Reply { text, refusal, calls, echo, .. } = reply.clone();
    Message::reply(text, refusal, calls, echo)
}

/// An event of a stream.
fn event(data: &serde_json::Value) -> String {
    format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap_or("message"))
}
