//! Everything that a call must pass before it may run.

use std::fmt;
use std::sync::Arc;

use serde_json::json;

use super::outcome::{cut, internal_failure, sentence};
use super::result::{Status, ToolResult, code};
use super::running::InFlight;
use super::toolbox::Toolbox;
use crate::arguments::{Digest, Invalid, Problem, nearest};
use crate::guest::{Theirs, quiet};
use crate::model::ToolCall;
use crate::run::Checked;
use crate::security::{Access, SecurityContext};
use crate::tool::Prepared;

/// What the gates say of a call: see [`Toolbox::check`].
#[non_exhaustive]
pub enum Verdict<S> {
    /// It may run, as far as the gates go.
    Ready(Admitted<S>),
    /// It may not; this is its result.
    Refused(ToolResult),
}

/// A call that has passed its gates, with its arguments in hand: for [`Toolbox::execute`].
pub struct Admitted<S> {
    pub(crate) passed: Passed<S>,
    /// What was checked, and so what runs.
    pub(super) call: ToolCall,
    /// The toolbox that checked it.
    pub(super) by: Arc<InFlight>,
}

/// What is known of a call that has passed its gates.
pub(crate) struct Passed<S> {
    /// The tool's place in the toolbox.
    pub(crate) tool: usize,
    /// The digest of its normalised arguments.
    pub(crate) digest: Digest,
    pub(super) prepared: Theirs<Prepared<S>>,
}

/// The same, or the result of a call that has not passed.
pub(crate) type Gated<S> = Result<Passed<S>, Box<ToolResult>>;

impl<S> Verdict<S> {
    /// The same for a [`Run`](crate::run::Run), which can be kept.
    pub fn checked(&self) -> Checked {
        match self {
            Self::Ready(admitted) => Checked::ready(admitted.passed.tool, admitted.passed.digest),
            Self::Refused(result) => Checked::Refused(Box::new(result.clone())),
        }
    }
}

impl<S> fmt::Debug for Verdict<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.checked().fmt(f)
    }
}

impl<S> fmt::Debug for Admitted<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Passed { tool, digest, .. } = &self.passed;
        f.debug_struct("Admitted").field("tool", tool).field("digest", digest).finish_non_exhaustive()
    }
}

/// exists? -> caller may? -> JSON? -> valid?
pub(super) async fn check<S: Send + Sync + 'static>(
    toolbox: &Toolbox<S>,
    call: &ToolCall,
    caller: &SecurityContext,
) -> Gated<S> {
    let Some(tool) = toolbox.find(&call.name) else {
        return Err(Box::new(unknown(call, &toolbox.names().collect::<Vec<_>>())));
    };
    let entry = &toolbox.tools[tool];
    let asked = Access {
        tool: &entry.facts.name,
        permission: entry.facts.permission.as_deref(),
        mutating: entry.facts.effect.is_mutating(),
    };
    if let Err(denied) = toolbox.authorize(caller, &asked).await {
        tracing::warn!(tool = asked.tool, user = caller.user(), tenant = caller.tenant(), %denied, "call denied");
        return Err(Box::new(unauthorized(call)));
    }
    // The types of arguments are the user's, and so is the code that reads them.
    let read = if entry.reads.may_take_long() {
        let (reads, arguments) = (entry.reads.clone(), call.arguments.clone());
        tokio::task::spawn_blocking(move || quiet(|| reads.read(&arguments))).await.ok().flatten()
    } else {
        quiet(|| entry.reads.read(&call.arguments))
    };
    match read {
        Some(Ok((digest, prepared))) => Ok(Passed { tool, digest, prepared: Theirs::new(prepared) }),
        Some(Err(invalid)) => Err(Box::new(invalid_arguments(call, &invalid))),
        None => {
            tracing::error!(tool = call.name, call = %call.id, "reading the arguments panicked");
            Err(Box::new(internal_failure(call)))
        }
    }
}

/// The result of a call whose arguments are wrong.
pub(crate) fn invalid_arguments(call: &ToolCall, what: &Invalid) -> ToolResult {
    match what {
        Invalid::Malformed(what) => malformed(call, what),
        Invalid::Problems(problems) => invalid(call, problems),
    }
}

/// The result of a call of a tool that is not among those offered.
pub(crate) fn unknown(call: &ToolCall, offered: &[&str]) -> ToolResult {
    let near = nearest(&call.name, offered.iter().copied());
    let hint = near.map(|name| format!(" Did you mean `{name}`?")).unwrap_or_default();
    let message = if offered.is_empty() {
        format!("There is no tool `{}`, and no other. Answer without a tool.", cut(&call.name))
    } else {
        format!("There is no tool `{}`.{hint} Call one of the offered tools, or answer without one.", cut(&call.name))
    };
    let details = json!({ "nearest": near, "offered": offered });
    ToolResult::error(call, Status::FatalError, code::UNKNOWN_TOOL, message, Some(details))
}

fn unauthorized(call: &ToolCall) -> ToolResult {
    let message = "The person on whose behalf you act may not use this tool. Do not call it again; tell them.";
    ToolResult::error(call, Status::PermissionDenied, code::UNAUTHORIZED, message, None)
}

fn malformed(call: &ToolCall, what: &str) -> ToolResult {
    let mut letters = what.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase).collect::<String>();
    let message = format!("{} Send one JSON object and call again.", sentence(&(first + letters.as_str())));
    ToolResult::error(call, Status::ValidationError, code::MALFORMED_JSON, message, None)
}

fn invalid(call: &ToolCall, problems: &[Problem]) -> ToolResult {
    let message = match problems.len() {
        1 => "One argument does not fit. Correct the listed field and call again.".to_owned(),
        n => format!("{n} things do not fit. Correct the listed fields and call again."),
    };
    let details = json!({ "problems": problems });
    ToolResult::error(call, Status::ValidationError, code::SCHEMA_VALIDATION_FAILED, message, Some(details))
}
