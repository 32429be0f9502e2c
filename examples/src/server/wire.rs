//! A request's JSON. What OpenAI's servers do not know, they refuse; so does this.

use serde::Deserialize;
use serde_json::{Map, Value};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Body {
    pub(super) model: String,
    pub(super) messages: Vec<Message>,
    #[serde(default)]
    pub(super) tools: Vec<Tool>,
    #[serde(default)]
    pub(super) tool_choice: Choice,
    #[serde(default)]
    pub(super) stream: bool,
    #[serde(default, rename = "stream_options")]
    pub(super) _stream_options: StreamOptions,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct StreamOptions {
    #[serde(rename = "include_usage")]
    _include_usage: bool,
}

impl Body {
    /// Reads the body of a request.
    pub(super) fn read(body: &[u8]) -> Result<Self, String> {
        serde_json::from_slice(body).map_err(|error| format!("the request cannot be read: {error}"))
    }
}

#[derive(Debug, Deserialize, Default, PartialEq, Clone, Copy)]
#[serde(rename_all = "lowercase")]
pub(super) enum Choice {
    #[default]
    Auto,
    None,
    Required,
}

#[derive(Deserialize)]
#[serde(tag = "role", rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum Message {
    System {
        content: String,
    },
    User {
        content: String,
    },
    Assistant {
        content: Option<String>,
        #[serde(default)]
        tool_calls: Vec<Call>,
    },
    Tool {
        tool_call_id: String,
        content: String,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Call {
    pub(super) id: String,
    #[serde(rename = "type")]
    pub(super) _type: FunctionWord,
    pub(super) function: Called,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Called {
    pub(super) name: String,
    pub(super) arguments: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Tool {
    #[serde(rename = "type")]
    pub(super) _type: FunctionWord,
    pub(super) function: Definition,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Definition {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) strict: bool,
    pub(super) parameters: Map<String, Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum FunctionWord {
    Function,
}
