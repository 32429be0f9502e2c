//! A reply, whole or as one chunk of a stream: the two differ in where the message stands.

use agent_http::lenient::{Count, List, Obj, Text};
use agent_http::opaque::{Fields, Opaque};
use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer};
use serde_json::Value;

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

/// An object of which the fields that are not named here are kept as they came. `flatten` would read them into trees.
macro_rules! open_object {
    ($(#[$doc:meta])* $name:ident without $skipped:literal { $($field:ident: $type:ty = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Default)]
        pub(crate) struct $name {
            $(pub(crate) $field: $type,)*
            /// What the format does not have, reasoning under its several names included.
            pub(crate) other: Fields,
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                let mut other = Fields::deserialize(from)?;
                other.remove($skipped);
                Ok(Self { $($field: field(other.remove($word))?,)* other })
            }
        }
    };
}

open_object! {
    Message without "role" {
        content: Value = "content",
        refusal: Text = "refusal",
        tool_calls: List<Obj<ToolCall>> = "tool_calls",
        function_call: Obj<Function> = "function_call",
    }
}

open_object! {
    ToolCall without "type" {
        index: Count = "index",
        id: Text = "id",
        function: Obj<Function> = "function",
    }
}

fn field<T: DeserializeOwned + Default, E: serde::de::Error>(value: Option<Opaque>) -> Result<T, E> {
    match value {
        Some(Opaque::Raw(raw)) => agent_http::json::read(raw.get().as_bytes()).map_err(E::custom),
        _ => Ok(T::default()),
    }
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
