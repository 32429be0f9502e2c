//! What may be told of content: messages, arguments and results, which telemetry leaves out unless it is turned on.

mod content;
pub(crate) mod spans;

use std::fmt;
use std::sync::Arc;

use crate::guest::quiet;

/// Takes from content what must not be told. Content leaves a run only through one of these.
///
/// ```
/// use agent_core::telemetry::{Content, Redact};
/// let redact = |content: Content<'_>| match content.tool {
///     Some("transfer") => "[withheld]".to_owned(),
///     _ => content.text.to_owned(),
/// };
/// let shown = redact.redact(Content::arguments("transfer", r#"{"iban":"DE02"}"#));
/// assert_eq!(shown, "[withheld]");
/// ```
///
/// It is called on the run's own task and must not block. It may be called several times for the same content. What it
/// gives need not be JSON. Where it panics, nothing of the content is told.
pub trait Redact: Send + Sync {
    /// What may be told in place of this.
    fn redact(&self, content: Content<'_>) -> String;
}

impl<F: Fn(Content<'_>) -> String + Send + Sync> Redact for F {
    fn redact(&self, content: Content<'_>) -> String {
        self(content)
    }
}

/// What may be told of a content; nothing where its hook panics.
pub(crate) fn redacted(redact: &dyn Redact, content: Content<'_>) -> String {
    quiet(|| redact.redact(content)).unwrap_or_else(|| "(the redaction hook panicked)".to_owned())
}

/// A [`Redact`] that several share.
pub type SharedRedact = Arc<dyn Redact>;

/// A piece of content.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Content<'c> {
    /// What it is.
    pub kind: ContentKind,
    /// The tool that it belongs to, as the model named it.
    pub tool: Option<&'c str>,
    /// The text.
    pub text: &'c str,
}

/// What a piece of content is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ContentKind {
    /// The system text.
    System,
    /// What a person says.
    User,
    /// What a model says, reasons or refuses.
    Model,
    /// The arguments of a call: JSON, if the model wrote JSON.
    Arguments,
    /// The result of a call: JSON.
    Result,
    /// The description of a tool as the model is told of it, or its parameters as JSON. The host wrote them.
    Definition,
}

impl<'c> Content<'c> {
    /// Content of a conversation.
    pub fn message(kind: ContentKind, text: &'c str) -> Self {
        Self { kind, tool: None, text }
    }

    /// The arguments of a call of this tool.
    pub fn arguments(tool: &'c str, text: &'c str) -> Self {
        Self { kind: ContentKind::Arguments, tool: Some(tool), text }
    }

    /// The result of a call of this tool.
    pub fn result(tool: &'c str, text: &'c str) -> Self {
        Self { kind: ContentKind::Result, tool: Some(tool), text }
    }

    /// What the model is told of this tool.
    pub fn definition(tool: &'c str, text: &'c str) -> Self {
        Self { kind: ContentKind::Definition, tool: Some(tool), text }
    }
}

impl fmt::Debug for Content<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Content").field("kind", &self.kind).field("tool", &self.tool).finish_non_exhaustive()
    }
}
