//! The results that more than one place gives, each with what the model should do next.

use super::result::{Status, ToolResult, code};
use crate::model::ToolCall;
use crate::tool::BusinessError;

/// A call that was held back: `why` ends the sentence "The call was not run: ..", `advice` says what to do.
pub(crate) fn held_back(call: &ToolCall, code: &'static str, why: &str, advice: &str) -> ToolResult {
    let message = format!("The call was not run: {why} {advice}");
    ToolResult::error(call, Status::FatalError, code, message, None)
}

/// A call that the host ended.
pub(crate) fn cancelled(call: &ToolCall) -> ToolResult {
    let message = "The run was cancelled before the call was done. Do not make it again.";
    ToolResult::error(call, Status::FatalError, code::CANCELLED, message, None)
}

/// A call that is done and cannot be shown.
pub(super) fn unreadable(call: &ToolCall) -> ToolResult {
    let message = "The call is done, but its result cannot be shown. Do not make it again; tell the person.";
    ToolResult::error(call, Status::FatalError, code::RESULT_UNREADABLE, message, None)
}

/// A fault after which nothing has changed.
pub(crate) fn internal_failure(call: &ToolCall) -> ToolResult {
    let message = "The tool failed for an internal reason; nothing was changed. Take another way or tell the person.";
    ToolResult::error(call, Status::FatalError, code::INTERNAL_EXECUTION_FAILURE, message, None)
}

/// A rule of the domain.
pub(super) fn business_error(call: &ToolCall, error: &BusinessError) -> ToolResult {
    let message = format!("{} Take another way or tell the person.", sentence(error.message()));
    ToolResult::error(call, Status::BusinessError, cut(error.code()), message, error.facts().cloned())
}

/// Most bytes of a name or an id as it is shown: a model can write anything of any length.
pub(crate) const MOST_OF_A_NAME: usize = 128;

/// A name or an id as it is shown.
pub(crate) fn cut(name: &str) -> &str {
    let mut end = name.len().min(MOST_OF_A_NAME);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    &name[..end]
}

/// Words of somebody else, ended so that a sentence of ours can follow.
pub(crate) fn sentence(words: &str) -> String {
    let words = words.trim_end();
    if words.is_empty() || words.ends_with(['.', '!', '?']) { words.to_owned() } else { format!("{words}.") }
}
