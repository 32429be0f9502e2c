//! What a model is asked.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use tokio::time::Instant;

use super::message::Message;
use super::session::Session;
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
    /// Where an adapter keeps between the requests of a run what it has written; none for a request by hand.
    pub session: Option<&'a Session>,
}

impl<'a> Request<'a> {
    /// A request of these messages, with no tools.
    pub fn new(messages: &'a [Message]) -> Self {
        Self {
            run_id: "",
            system: None,
            messages,
            tools: &[],
            tool_choice: ToolChoice::Auto,
            deadline: None,
            session: None,
        }
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

    /// With what was kept of the run's requests before it.
    #[must_use]
    pub fn session(mut self, session: Option<&'a Session>) -> Self {
        self.session = session;
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
    pub(crate) told: Arc<Told>,
}

/// What is told of a tool.
#[derive(Debug)]
pub(crate) struct Told {
    published: Box<[(&'static Profile, Published)]>,
    /// The tool as an adapter wrote it first, so that it is written once and not for each request.
    wire: OnceLock<Wire>,
}

#[derive(Debug)]
struct Wire {
    format: &'static str,
    profile: &'static str,
    bytes: Box<[u8]>,
}

impl ToolDefinition {
    /// A tool by hand, for requests without an agent; `published` has its text for each profile that the model speaks.
    pub fn new(
        name: impl Into<Cow<'static, str>>,
        strict: bool,
        published: impl IntoIterator<Item = (&'static Profile, Published)>,
    ) -> Self {
        let told = Told { published: published.into_iter().collect(), wire: OnceLock::new() };
        Self { name: name.into(), strict, told: Arc::new(told) }
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
        self.told
            .published
            .iter()
            .find(|(kept, _)| std::ptr::eq(*kept, profile) || kept.name == profile.name)
            .map(|(_, text)| text)
    }

    /// The tool in an adapter's format: `write` makes it once, later requests find it here.
    ///
    /// `format` names the format and everything beside the profile that changes it; a second format or profile of the
    /// same tool is written each time.
    ///
    /// # Errors
    ///
    /// That of `write`.
    pub fn wire<E>(
        &self,
        format: &'static str,
        profile: &'static Profile,
        write: impl Fn() -> Result<Vec<u8>, E>,
    ) -> Result<Cow<'_, [u8]>, E> {
        let kept = &self.told.wire;
        if kept.get().is_none() {
            let bytes = write()?.into();
            // Another format may have been kept in the meantime.
            let _ = kept.set(Wire { format, profile: profile.name, bytes });
        }
        match kept.get().filter(|wire| wire.format == format && wire.profile == profile.name) {
            Some(wire) => Ok(Cow::Borrowed(&wire.bytes)),
            None => write().map(Cow::Owned),
        }
    }

    /// What is told for the first profile.
    pub(crate) fn first_published(&self) -> Option<&Published> {
        self.told.published.first().map(|(_, text)| text)
    }
}
