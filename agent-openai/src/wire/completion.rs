//! A reply, whole or as one chunk of a stream: the two differ in where the message stands.

use agent_http::lenient::{Count, List, Obj, Text};
use serde::Deserialize;
use serde_json::{Map, Value};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Completion {
    pub(crate) id: Text,
    pub(crate) model: Text,
    pub(crate) choices: Option<List<Obj<Choice>>>,
    pub(crate) usage: Obj<Usage>,
    /// Groq, while streaming.
    pub(crate) x_groq: Obj<Groq>,
    pub(crate) error: Value,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Groq {
    pub(crate) usage: Obj<Usage>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Choice {
    pub(crate) index: Count,
    pub(crate) message: Obj<Message>,
    pub(crate) delta: Obj<Message>,
    pub(crate) finish_reason: Text,
    /// Moonshot, while streaming.
    pub(crate) usage: Obj<Usage>,
    pub(crate) error: Value,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Message {
    pub(crate) role: Value,
    pub(crate) content: Value,
    pub(crate) refusal: Text,
    pub(crate) tool_calls: List<Obj<ToolCall>>,
    pub(crate) function_call: Obj<Function>,
    /// What the format does not have, reasoning under its several names included.
    #[serde(flatten)]
    pub(crate) other: Map<String, Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ToolCall {
    pub(crate) index: Count,
    pub(crate) id: Text,
    pub(crate) r#type: Value,
    pub(crate) function: Obj<Function>,
    #[serde(flatten)]
    pub(crate) other: Map<String, Value>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Function {
    pub(crate) name: Text,
    pub(crate) arguments: Value,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Usage {
    pub(crate) prompt_tokens: Count,
    pub(crate) completion_tokens: Count,
    /// Moonshot; others have it in the details.
    pub(crate) cached_tokens: Count,
    pub(crate) prompt_tokens_details: Obj<PromptDetails>,
    pub(crate) completion_tokens_details: Obj<CompletionDetails>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct PromptDetails {
    pub(crate) cached_tokens: Count,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct CompletionDetails {
    pub(crate) reasoning_tokens: Count,
}
