//! Replies piece by piece, as the events of both formats.

use serde_json::{Value, json};

use super::{Conversation, Reply, tokens};

/// The pieces that a text comes in.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive([' ', ','])
}

fn length(reply: &Reply) -> usize {
    match reply {
        Reply::Text(text) => text.len(),
        Reply::Calls(calls) => calls.iter().map(|call| call.name.len() + call.arguments.len()).sum(),
    }
}

/// The chunks of a chat completion.
pub(super) fn completion(reply: &Reply, conversation: &Conversation, request_bytes: usize) -> Vec<String> {
    let (prompt, completion) = (tokens(request_bytes), tokens(length(reply)));
    let chunk = |choices: Value, usage: Value| {
        let chunk = json!({
            "id": format!("chatcmpl-scripted-{}", conversation.turns + 1),
            "object": "chat.completion.chunk",
            "created": 0,
            "model": conversation.model,
            "choices": choices,
            "usage": usage,
        });
        format!("data: {chunk}\n\n")
    };
    let delta = |delta: Value| chunk(json!([{ "index": 0, "delta": delta, "finish_reason": null }]), Value::Null);
    let mut chunks = vec![delta(json!({ "role": "assistant", "content": null }))];
    let finish = match reply {
        Reply::Text(text) => {
            chunks.extend(pieces(text).map(|piece| delta(json!({ "content": piece }))));
            "stop"
        }
        Reply::Calls(calls) => {
            for (index, call) in calls.iter().enumerate() {
                let function = json!({ "name": call.name, "arguments": "" });
                let begun = json!({ "index": index, "id": call.id, "type": "function", "function": function });
                chunks.push(delta(json!({ "tool_calls": [begun] })));
                for piece in pieces(&call.arguments) {
                    let more = json!({ "index": index, "function": { "arguments": piece } });
                    chunks.push(delta(json!({ "tool_calls": [more] })));
                }
            }
            "tool_calls"
        }
    };
    chunks.push(chunk(json!([{ "index": 0, "delta": {}, "finish_reason": finish }]), Value::Null));
    let usage =
        json!({ "prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": prompt + completion });
    chunks.push(chunk(json!([]), usage));
    chunks.push("data: [DONE]\n\n".to_owned());
    chunks
}

/// The events of a message.
pub(super) fn message(reply: &Reply, conversation: &Conversation, request_bytes: usize) -> Vec<String> {
    let event = |data: Value| format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap_or_default());
    let begun = json!({
        "id": format!("msg_scripted_{}", conversation.turns + 1),
        "type": "message",
        "role": "assistant",
        "model": conversation.model,
        "content": [],
        "stop_reason": null,
        "stop_sequence": null,
        "usage": { "input_tokens": tokens(request_bytes), "output_tokens": 0 },
    });
    let mut events = vec![event(json!({ "type": "message_start", "message": begun }))];
    let mut block = |index: usize, begun: Value, pieces: Vec<Value>| {
        events.push(event(json!({ "type": "content_block_start", "index": index, "content_block": begun })));
        let delta = |delta| event(json!({ "type": "content_block_delta", "index": index, "delta": delta }));
        events.extend(pieces.into_iter().map(delta));
        events.push(event(json!({ "type": "content_block_stop", "index": index })));
    };
    let reason = match reply {
        Reply::Text(text) => {
            let piece = |piece| json!({ "type": "text_delta", "text": piece });
            block(0, json!({ "type": "text", "text": "" }), pieces(text).map(piece).collect());
            "end_turn"
        }
        Reply::Calls(calls) => {
            for (index, call) in calls.iter().enumerate() {
                let piece = |piece| json!({ "type": "input_json_delta", "partial_json": piece });
                let begun = json!({ "type": "tool_use", "id": call.id, "name": call.name, "input": {} });
                block(index, begun, pieces(&call.arguments).map(piece).collect());
            }
            "tool_use"
        }
    };
    let end = json!({ "stop_reason": reason, "stop_sequence": null });
    let usage = json!({ "output_tokens": tokens(length(reply)) });
    events.push(event(json!({ "type": "message_delta", "delta": end, "usage": usage })));
    events.push(event(json!({ "type": "message_stop" })));
    events
}
