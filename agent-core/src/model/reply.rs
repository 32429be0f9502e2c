//! What a model answers to one request.

use serde::{Deserialize, Serialize};

use super::error::ModelErrorKind;
use super::message::{Echo, ToolCall};

/// One reply of a model.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Reply {
    /// The text; none rather than empty.
    pub text: Option<String>,
    /// The reasoning that the server shows.
    pub reasoning: Option<String>,
    /// Why it will not answer.
    pub refusal: Option<String>,
    /// The calls that it asks for, in its order.
    pub calls: Vec<ToolCall>,
    /// Why it stopped; none where the server did not say.
    pub finish: Option<Finish>,
    /// What it cost in tokens; none where the server did not say, which it also did not with 0 read and 0 written.
    pub usage: Option<Usage>,
    /// The model that answered, by the server's name for it.
    pub model: Option<String>,
    /// The server's id of the reply.
    pub id: Option<String>,
    /// What must be sent back with the message, unchanged.
    pub echo: Option<Echo>,
    /// How many requests were sent for it, retries included; 0 only where no model was asked.
    pub attempts: u32,
    /// The models that were asked before and could not answer; see [`Fallback`](super::Fallback).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fallbacks: Vec<FailedModel>,
}

/// A model that was asked, and could not answer.
///
/// ```
/// # use agent_core::model::Reply;
/// fn told(reply: &Reply) -> Vec<String> {
///     reply.fallbacks.iter().map(|failed| format!("{}: {}", failed.model, failed.kind.as_str())).collect()
/// }
/// assert!(told(&Reply::text("Hi.")).is_empty());
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FailedModel {
    /// Its name.
    pub model: String,
    /// Why.
    pub kind: ModelErrorKind,
    /// How many requests it was sent.
    pub attempts: u32,
}

impl Reply {
    /// A reply of text, finished.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), finish: Some(Finish::Stop), attempts: 1, ..Self::default() }
    }

    /// A reply that asks for calls.
    pub fn calls(calls: impl IntoIterator<Item = ToolCall>) -> Self {
        Self { calls: calls.into_iter().collect(), finish: Some(Finish::ToolCalls), attempts: 1, ..Self::default() }
    }

    /// With this reason to have stopped.
    #[must_use]
    pub fn finish(mut self, finish: Finish) -> Self {
        self.finish = Some(finish);
        self
    }

    /// With this usage.
    #[must_use]
    pub fn usage(mut self, usage: Usage) -> Self {
        self.usage = Some(usage);
        self
    }
}

/// Why a model stopped.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Finish {
    /// It was done.
    Stop,
    /// It wants results of calls.
    ToolCalls,
    /// It reached its limit of tokens; what it wrote is cut.
    Length,
    /// A filter took what it wrote.
    ContentFilter,
    /// Another reason, in the server's word. A text that ends so is no answer, and calls that end so are not run; an
    /// adapter gives [`Stop`](Self::Stop) for each word that says that the model was done.
    Other(String),
}

/// Tokens that a reply took.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Usage {
    /// Tokens read, cached ones included.
    pub input: u64,
    /// Tokens written, reasoning included.
    pub output: u64,
    /// Of those read, the ones that came from a cache.
    pub cached_input: u64,
    /// Of those read, the ones that were written to a cache, where the server counts them.
    #[serde(default)]
    pub cache_write: u64,
    /// Of those written, the ones that were reasoning.
    pub reasoning: u64,
}

impl Usage {
    /// Tokens read and written.
    pub const fn new(input: u64, output: u64) -> Self {
        Self { input, output, cached_input: 0, cache_write: 0, reasoning: 0 }
    }

    /// Of those read, the ones that came from a cache.
    #[must_use]
    pub const fn cached_input(mut self, tokens: u64) -> Self {
        self.cached_input = tokens;
        self
    }

    /// Of those read, the ones that were written to a cache.
    #[must_use]
    pub const fn cache_write(mut self, tokens: u64) -> Self {
        self.cache_write = tokens;
        self
    }

    /// Of those written, the ones that were reasoning.
    #[must_use]
    pub const fn reasoning(mut self, tokens: u64) -> Self {
        self.reasoning = tokens;
        self
    }

    /// Tokens read and written together.
    pub const fn total(&self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cached_input = self.cached_input.saturating_add(other.cached_input);
        self.cache_write = self.cache_write.saturating_add(other.cache_write);
        self.reasoning = self.reasoning.saturating_add(other.reasoning);
    }
}
