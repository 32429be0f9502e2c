//! What is said with every request beside the conversation.

use agent_core::schema::Profile;
use agent_http::ConfigError;
use serde_json::{Map, Value};

/// Fields that the adapter writes itself.
const OWN: [&str; 7] = ["model", "messages", "tools", "tool_choice", "parallel_tool_calls", "stream", "stream_options"];

/// Settings as a request takes them.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) model: String,
    /// In which of their texts tools are sent.
    pub(crate) profile: &'static Profile,
    /// Whether `strict` goes with a tool.
    pub(crate) strict: bool,
    /// Whether a call can be forced.
    pub(crate) required: bool,
    pub(crate) developer_role: bool,
    pub(crate) parallel_tool_calls: Option<bool>,
    pub(crate) stream_usage: bool,
    /// Whether fields that the format does not have go back with their messages.
    pub(crate) echo: bool,
    /// The other fields as they end a body, written once: `,"temperature":0.2`.
    pub(crate) fields: Vec<u8>,
}

/// The fields as they end a body.
pub(crate) fn written(fields: Map<String, Value>) -> Result<Vec<u8>, ConfigError> {
    if fields.contains_key("max_tokens") && fields.contains_key("max_completion_tokens") {
        let reason = "stands beside `max_completion_tokens`, which takes its place";
        return Err(ConfigError::Setting { name: "max_tokens".to_owned(), reason });
    }
    agent_http::body::fields(&fields, &OWN, &["temperature", "top_p"])
}
