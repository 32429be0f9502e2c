//! What the attribute says of a tool, as data.

use std::borrow::Cow;
use std::time::Duration;

use crate::schema::{Link, Profile};

/// A tool as its attribute describes it.
#[derive(Debug, Clone, Copy)]
pub struct ToolSpec {
    /// The name that the model calls.
    pub name: &'static str,
    /// The documentation, which becomes the description.
    pub description: &'static str,
    /// The shape of the arguments; an object.
    pub arguments: Link,
    /// Whether the tool only reads, or changes something.
    pub effect: Effect,
    /// The role that a caller needs.
    pub permission: Option<&'static str>,
    /// Its own time limit, in place of `Limits::tool_timeout`.
    pub timeout: Option<Duration>,
    /// Whether a person must approve each call.
    pub approval: bool,
    /// How often it may be called in one run.
    pub max_calls: Option<u32>,
    /// How often a transient fault is tried again.
    pub retries: u32,
    /// Whether the provider is asked to hold the model to the schema.
    pub strict: bool,
    /// The profiles that its schema was checked against at compile time.
    pub profiles: &'static [&'static Profile],
}

/// What an agent knows of a tool, whether it comes from an attribute or is made at run time.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ToolFacts {
    /// The name that the model calls.
    pub name: Cow<'static, str>,
    /// What the model is told of it.
    pub description: Cow<'static, str>,
    /// Whether the tool only reads, or changes something.
    pub effect: Effect,
    /// The role that a caller needs.
    pub permission: Option<Cow<'static, str>>,
    /// Whether its author says that anyone may call it.
    pub unrestricted: bool,
    /// Its own time limit, in place of `Limits::tool_timeout`.
    pub timeout: Option<Duration>,
    /// Whether a person must approve each call.
    pub approval: bool,
    /// How often it may be called in one run.
    pub max_calls: Option<u32>,
    /// How often a transient fault is tried again.
    pub retries: u32,
    /// Whether the provider is asked to hold the model to the schema.
    pub strict: bool,
}

impl From<&ToolSpec> for ToolFacts {
    fn from(spec: &ToolSpec) -> Self {
        Self {
            name: spec.name.into(),
            description: spec.description.into(),
            effect: spec.effect,
            permission: spec.permission.map(Cow::Borrowed),
            // The macro has seen to it that one of the two is said.
            unrestricted: spec.permission.is_none(),
            timeout: spec.timeout,
            approval: spec.approval,
            max_calls: spec.max_calls,
            retries: spec.retries,
            strict: spec.strict,
        }
    }
}

/// What a tool does to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Effect {
    /// Nothing: it may run beside others, and again.
    Read,
    /// It changes something: it runs alone, in order, and once.
    Mutating {
        /// What a second call with the same arguments means.
        duplicates: Duplicates,
        /// Whether its target honours the key that it is handed, so that it may be repeated.
        keyed: bool,
        /// Whether it has a function that tells whether a call has happened.
        reconciles: bool,
    },
}

impl Effect {
    /// Whether it changes something.
    pub const fn is_mutating(self) -> bool {
        matches!(self, Self::Mutating { .. })
    }
}

/// What a second call of a mutating tool with the same arguments in one run means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Duplicates {
    /// The same call again: the first result is given back.
    Replay,
    /// Another call: it runs.
    Allow,
}
