//! What is said with every request beside the conversation.

use agent_core::schema::{Profile, Published};
use agent_http::ConfigError;
use serde_json::{Map, Value, json};

/// Fields that the adapter writes itself.
const OWN: [&str; 6] = ["model", "messages", "tools", "tool_choice", "parallel_tool_calls", "stream"];

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
    /// What asks for a stream, as it ends a body, written once: `,"stream":true`.
    pub(crate) stream: Vec<u8>,
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

/// What asks for a stream: the options as they were given, and the one for usage where that may be asked for.
pub(crate) fn stream(options: Option<Value>, usage: bool) -> Result<Vec<u8>, ConfigError> {
    let mut options = match options {
        None => Map::new(),
        Some(Value::Object(options)) => options,
        Some(_) => {
            return Err(ConfigError::Setting { name: "stream_options".to_owned(), reason: "is no object" });
        }
    };
    if usage {
        options.entry("include_usage").or_insert(true.into());
    }
    let mut written = b",\"stream\":true".to_vec();
    if !options.is_empty() {
        written.extend_from_slice(format!(",\"stream_options\":{}", Value::Object(options)).as_bytes());
    }
    Ok(written)
}

/// The form of the text as it ends a body.
pub(crate) fn response_format(name: &str, published: &Published, strict: bool) -> Vec<u8> {
    let name = json!(name);
    let description = match &*published.description {
        "" => String::new(),
        description => format!(r#","description":{}"#, json!(description)),
    };
    let strict = if strict { r#","strict":true"# } else { "" };
    let schema = &published.parameters;
    let inner = format!(r#"{{"name":{name}{description}{strict},"schema":{schema}}}"#);
    format!(r#","response_format":{{"type":"json_schema","json_schema":{inner}}}"#).into_bytes()
}
