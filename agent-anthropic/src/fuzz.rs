//! What the targets of `cargo fuzz` reach no other way.

use std::sync::LazyLock;

use agent_core::model::{Message, Request};

use crate::convert;
use crate::model::Anthropic;
use crate::read::Reading;

// The address is of this machine, which needs neither TLS nor a key: nothing in it can be refused.
static MODEL: LazyLock<Anthropic> =
    LazyLock::new(|| Anthropic::builder().base_url("http://localhost:1").build().expect("a server on this machine"));

/// What reads one reply and shows its pieces.
pub fn reading() -> impl agent_http::Reading {
    let answered = agent_http::Answered::example(200);
    Reading::new(answered, MODEL.inner.assembler().showing())
}

/// The request that goes on with these messages.
pub fn sent(messages: &[Message]) -> Vec<u8> {
    // Only tools can be refused, which may have no text for the format; here are none.
    let body = convert::body(&Request::new(messages), &MODEL.inner.settings, false, None);
    body.expect("messages alone can be written").into()
}
