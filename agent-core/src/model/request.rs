//! What a model is asked.

use std::borrow::Cow;
use std::sync::Arc;

use tokio::time::Instant;

use super::message::Message;
use crate::schema::{Profile, Published};

/// One request: the conversation so far, and the tools that may be called.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Request<'a> {
    /// The run that asks.
    pub run_id: &'a str,
    /// The system text.
    pub system: Option<&'a str>,
    /// The conversation. Every call in it has its result.
    pub messages: &'a [Message],
    /// The tools, always in the same order.
    pub tools: &'a [ToolDefinition],
    /// Whether and what to call.
    pub tool_choice: ToolChoice<'a>,
    /// When the answer is of no more use. The caller stops waiting then; an adapter keeps its own retries within it.
    pub deadline: Option<Instant>,
}

impl<'a> Request<'a> {
    /// A request of these messages, with no tools.
    pub fn new(messages: &'a [Message]) -> Self {
        Self { run_id: "", system: None, messages, tools: &[], tool_choice: ToolChoice::Auto, deadline: None }
    }

    /// With this system text.
    #[must_use]
    pub fn system(mut self, system: Option<&'a str>) -> Self {
        self.system = system;
        self
    }

    /// With these tools.
    #[must_use]
    pub fn tools(mut self, tools: &'a [ToolDefinition]) -> Self {
        self.tools = tools;
        self
    }

    /// With this choice.
    #[must_use]
    pub fn tool_choice(mut self, choice: ToolChoice<'a>) -> Self {
        self.tool_choice = choice;
        self
    }

    /// With this deadline.
    #[must_use]
    pub fn deadline(mut self, deadline: Option<Instant>) -> Self {
        self.deadline = deadline;
        self
    }

    /// For this run.
    #[must_use]
    pub fn run_id(mut self, run_id: &'a str) -> Self {
        self.run_id = run_id;
        self
    }
}

/// Whether and what a model is to call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolChoice<'a> {
    /// As it sees fit.
    Auto,
    /// Nothing.
    None,
    /// At least one tool.
    Required,
    /// This tool.
    Tool(&'a str),
}

/// A tool as a model is told of it.
#[derive(Debug, Clone)]
pub struct ToolDefinition {
    pub(crate) name: Cow<'static, str>,
    pub(crate) strict: bool,
    pub(crate) published: Arc<[(&'static Profile, Published)]>,
}

impl ToolDefinition {
    /// A tool by hand, for requests without an agent; `published` has its text for each profile that the model speaks.
    pub fn new(
        name: impl Into<Cow<'static, str>>,
        strict: bool,
        published: impl IntoIterator<Item = (&'static Profile, Published)>,
    ) -> Self {
        Self { name: name.into(), strict, published: published.into_iter().collect() }
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the provider is asked to hold the model to the schema.
    pub fn strict(&self) -> bool {
        self.strict
    }

    /// Description and parameters as this profile can say them.
    ///
    /// None for a profile that is not among the model's own [`profiles`](super::Model::profiles).
    pub fn published(&self, profile: &'static Profile) -> Option<&Published> {
        self.published
            .iter()
            .find(|(kept, _)| std::ptr::eq(*kept, profile) || kept.name == profile.name)
            .map(|(_, text)| text)
    }
}
