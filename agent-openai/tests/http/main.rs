//! The model against a server on a loopback port.

#![allow(clippy::unwrap_used, reason = "clippy takes the helpers of a test for no test")]

mod cassettes;
mod conformance;
mod dialects;
mod differential;
mod errors;
mod limits;
mod quirks;
mod replies;
mod requests;
mod retries;
mod security;
mod server;
mod streams;
mod timeouts;

use agent_core::model::{Delta, Model, ModelError, Reply, Request};
use futures_util::StreamExt;

/// The whole reply, asked for plain or as a stream.
async fn ask(model: &agent_openai::OpenAi, request: Request<'_>, stream: bool) -> Result<Reply, ModelError> {
    if !stream {
        return model.reply(request).await;
    }
    match model.stream(request).collect::<Vec<_>>().await.pop().unwrap()? {
        Delta::Done(reply) => Ok(reply),
        other => panic!("a stream ends with its reply and not with {other:?}"),
    }
}
