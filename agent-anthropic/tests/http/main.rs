//! The model against a server on a loopback port.

#![allow(clippy::unwrap_used, reason = "clippy takes the helpers of a test for no test")]

mod conformance;
mod echo;
mod errors;
mod order;
mod pauses;
mod quirks;
mod requests;
mod security;
mod server;
mod times;

use agent_core::model::{Message, Reply};

/// What the loop makes of a reply.
fn spoken(reply: &Reply) -> Message {
    let Reply { text, refusal, calls, echo, .. } = reply.clone();
    Message::reply(text, refusal, calls, echo)
}

/// An event of a stream.
fn event(data: &serde_json::Value) -> String {
    format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap_or("message"))
}
