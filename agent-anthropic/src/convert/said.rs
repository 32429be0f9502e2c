//! What is said, as blocks.

use agent_core::model::{Body, Echo, Part, ToolCall};
use agent_http::body::separate;
use agent_http::opaque::Fields;
use serde::Serialize;
use serde_json::json;
use serde_json::value::RawValue;

use super::echo::{self, Sent};
use super::names;
use crate::wire::request::{Block, Source};

/// The blocks of a message, with commas between them; nothing where it says nothing.
///
/// `echo` says whether what only the server understands goes back.
pub(super) fn blocks(message: &Body, echo: bool) -> Vec<u8> {
    // The bracket is for `separate` to see the beginning.
    let mut out = b"[".to_vec();
    match message {
        Body::User { content } => content.iter().for_each(|part| part_of(&mut out, part)),
        Body::Assistant { text, refusal, calls, echo: kept } => {
            assistant(&mut out, text.as_deref(), refusal.as_deref(), calls, kept.as_ref().filter(|_| echo));
        }
        Body::Tool { call_id, content, .. } => {
            push(&mut out, &Block::ToolResult { tool_use_id: &names::taken(call_id.as_str()), content });
        }
        // A kind of message that is newer than this adapter.
        _ => {}
    }
    out.remove(0);
    out
}

/// The blocks of what the model said.
pub(super) fn assistant(
    out: &mut Vec<u8>,
    text: Option<&str>,
    refusal: Option<&str>,
    calls: &[ToolCall],
    kept: Option<&Echo>,
) {
    // The format has no refusal of its own; its words are text.
    if let Some(refusal) = refusal {
        say(out, refusal, Fields::default());
    }
    for block in echo::order(kept, text.unwrap_or_default(), calls) {
        match block {
            Sent::Text(text, beside) => say(out, text, beside),
            Sent::Call(call) => called(out, call),
            Sent::Opaque(block) => push(out, &block),
        }
    }
}

/// Text, unless it is blank, which the server refuses.
fn say(out: &mut Vec<u8>, text: &str, echo: Fields) {
    if !text.trim().is_empty() {
        push(out, &Block::Text { text, echo });
    }
}

fn part_of(out: &mut Vec<u8>, part: &Part) {
    match part {
        Part::Text { text } => say(out, text, Fields::default()),
        Part::Image { url, .. } => push(out, &Block::Image { source: source(url) }),
        _ => {}
    }
}

fn source(url: &str) -> Source<'_> {
    let data = url.strip_prefix("data:").and_then(|data| data.split_once(";base64,"));
    match data {
        Some((media_type, data)) => Source::Base64 { media_type, data },
        None => Source::Url { url },
    }
}

fn called(out: &mut Vec<u8>, call: &ToolCall) {
    let fallback;
    let input = match serde_json::from_str::<&RawValue>(&call.arguments) {
        Ok(input) if input.get().starts_with('{') => input,
        _ => {
            fallback = invalid(&call.arguments);
            &fallback
        }
    };
    let (id, name) = (names::taken(call.id.as_str()), names::taken(&call.name));
    let block = Block::ToolUse { id: &id, name: &name, input };
    let beside = call.echo.as_ref().filter(|echo| echo.format == super::FORMAT);
    push(out, &block);
    let beside = beside.and_then(|echo| Fields::sent(&echo.fields));
    if let Some(mut beside) = beside {
        beside.retain(|name, _| !OWN.contains(&name));
        // `flatten` would not take the raw input beside it.
        let fields = serde_json::to_vec(&beside).unwrap_or_default();
        if let Some(fields @ [_, ..]) = fields.get(1..fields.len().saturating_sub(1)) {
            out.pop();
            out.push(b',');
            out.extend_from_slice(fields);
            out.push(b'}');
        }
    }
}

/// Fields of a call that the adapter writes itself.
const OWN: [&str; 5] = ["type", "id", "name", "input", "cache_control"];

/// Arguments that are no object, as one: the format takes nothing else, and the model is to see what it wrote.
fn invalid(arguments: &str) -> Box<RawValue> {
    let object = match arguments.trim() {
        "" | "null" => json!({}),
        _ => json!({"INVALID_JSON": arguments}),
    };
    // A tree of strings can always be written; were it not, no arguments are as true as any.
    serde_json::value::to_raw_value(&object).unwrap_or_default()
}

/// Strings and JSON values alone, in memory: nothing in it can fail. Were it to, the server would be sent a
/// null block and say so.
fn push(out: &mut Vec<u8>, block: &impl Serialize) {
    separate(out);
    out.extend(serde_json::to_vec(block).unwrap_or_else(|_| b"null".to_vec()));
}
