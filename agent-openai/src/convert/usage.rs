//! Token counts.

use agent_core::model::Usage;
use agent_http::lenient::Count;

use crate::wire::completion;

/// The usage, if it is complete: servers that send it in every chunk leave the counts open until the last.
pub(crate) fn complete(wire: &completion::Usage) -> Option<Usage> {
    let input = wire.prompt_tokens.0?;
    let output = wire.completion_tokens.0?;
    let in_details = wire.prompt_tokens_details.0.as_ref().and_then(|details| details.cached_tokens.0);
    let Count(beside) = wire.cached_tokens;
    let reasoning = wire.completion_tokens_details.0.as_ref().and_then(|details| details.reasoning_tokens.0);
    Some(Usage::new(input, output).cached_input(in_details.or(beside).unwrap_or(0)).reasoning(reasoning.unwrap_or(0)))
}
