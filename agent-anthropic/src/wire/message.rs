//! A reply.

use agent_http::lenient::{Count, Obj, Text};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Message {
    pub(crate) id: Text,
    pub(crate) model: Text,
    /// A list of blocks, each of which is kept as it came.
    pub(crate) content: Option<Box<RawValue>>,
    pub(crate) stop_reason: Text,
    pub(crate) usage: Obj<Usage>,
    /// Where code ran at the server, to be named in the next request.
    pub(crate) container: Obj<Container>,
    pub(crate) error: Value,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Container {
    pub(crate) id: Text,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Usage {
    pub(crate) input_tokens: Count,
    pub(crate) cache_creation_input_tokens: Count,
    pub(crate) cache_read_input_tokens: Count,
    pub(crate) output_tokens: Count,
}

/// What of a call must stay the text that it is.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Called {
    pub(crate) input: Option<Box<RawValue>>,
}
