//! What is said with every request beside the conversation.

use serde_json::{Map, Value};

use crate::config::ConfigError;

/// Fields that the adapter writes itself.
const OWN: [&str; 7] = ["model", "messages", "tools", "tool_choice", "parallel_tool_calls", "stream", "stream_options"];

/// Settings as a request takes them.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) model: String,
    pub(crate) developer_role: bool,
    pub(crate) parallel_tool_calls: Option<bool>,
    pub(crate) stream_usage: bool,
    /// Whether fields that the format does not have go back with their messages.
    pub(crate) echo: bool,
    /// The other fields as they end a body, written once: `,"temperature":0.2`.
    pub(crate) fields: Vec<u8>,
}

/// The fields as they end a body.
pub(crate) fn written(fields: &Map<String, Value>) -> Result<Vec<u8>, ConfigError> {
    if let Some(name) = fields.keys().find(|name| OWN.contains(&name.as_str())) {
        return Err(setting(
            name,
            "is written by the adapter; the builder has a method for it, or the request says it",
        ));
    }
    if let Some(name) = ["temperature", "top_p"].into_iter().find(|name| fields.get(*name).is_some_and(Value::is_null))
    {
        return Err(setting(name, "is no finite number"));
    }
    if fields.contains_key("max_tokens") && fields.contains_key("max_completion_tokens") {
        return Err(setting("max_tokens", "stands beside `max_completion_tokens`, which takes its place"));
    }
    let mut out = Vec::new();
    for (name, value) in fields {
        out.extend_from_slice(format!(",{}:{value}", Value::from(name.as_str())).as_bytes());
    }
    Ok(out)
}

fn setting(name: &str, reason: &'static str) -> ConfigError {
    ConfigError::Setting { name: name.to_owned(), reason }
}
