//! An event of a stream.

use agent_http::lenient::{Count, Obj, Text};
use agent_http::opaque::Fields;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::message::{Message, Usage};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Event {
    pub(crate) r#type: Text,
    pub(crate) index: Count,
    pub(crate) message: Obj<Message>,
    pub(crate) content_block: Option<Box<RawValue>>,
    pub(crate) delta: Obj<Fields>,
    pub(crate) usage: Obj<Usage>,
    pub(crate) error: Value,
}
