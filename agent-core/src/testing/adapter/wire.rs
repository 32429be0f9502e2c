//! Neutral answers in a provider's words, and a provider's requests in neutral ones.

use serde_json::Value;

use crate::model::{ModelErrorKind, Reply};

/// A provider's side of the wire, for [`adapter`](super::adapter()).
///
/// `docs/writing-an-adapter.md` in the repository has a small one.
pub trait ScriptedWire: Send + Sync {
    /// The body of an answer that says this. `opaque` is a text that the server wants to see again.
    ///
    /// Text, reasoning, refusal, calls, reason to stop, usage, id and model are to be written. Ids and arguments of
    /// calls, and a reason of the server's own ([`Finish::Other`](crate::model::Finish::Other)), are written as they
    /// are.
    fn whole(&self, reply: &Reply, opaque: Option<&str>) -> String;

    /// The same as the events of a stream, its text in two pieces or more.
    fn events(&self, reply: &Reply, opaque: Option<&str>) -> Vec<String>;

    /// Status and body of an error of this kind with these words; none where the provider has no such error.
    fn error(&self, kind: ModelErrorKind, words: &str) -> Option<(u16, String)>;

    /// What the body of a request says.
    fn asked(&self, body: &Value) -> Asked;

    /// Whether the format has something that only the server understands, and has to go back to it.
    fn keeps_opaque(&self) -> bool {
        true
    }

    /// Whether answers of this format can show reasoning.
    fn shows_reasoning(&self) -> bool {
        true
    }

    /// Whether answers of this format have a place of their own for why the model refuses.
    fn shows_refusals(&self) -> bool {
        true
    }
}

/// What a request says.
#[derive(Debug, Default, PartialEq)]
pub struct Asked {
    /// The system text.
    pub system: Option<String>,
    /// The conversation.
    pub said: Vec<Said>,
    /// The names of the tools.
    pub tools: Vec<String>,
    /// Whether a stream is asked for.
    pub stream: bool,
}

/// A part of a conversation.
#[derive(Debug, Clone, PartialEq)]
pub enum Said {
    /// A person's text.
    Person(String),
    /// The model's text.
    Model(String),
    /// A call of the model's.
    Call {
        /// Its id.
        id: String,
        /// The tool.
        name: String,
        /// The arguments.
        arguments: Value,
    },
    /// The result of a call.
    Result {
        /// The call.
        id: String,
        /// What the model is shown.
        content: String,
    },
}
