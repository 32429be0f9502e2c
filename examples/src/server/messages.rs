//! The Messages format: a request into the words that the rest of the server has, and a reply out of them.
//!
//! What Anthropic's servers do not know, they refuse; so does this.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::wire::{Body, Call, Called, Choice, Definition, FunctionWord, Message, StreamOptions, Tool};
use super::{Conversation, Reply, tokens};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Request {
    model: String,
    #[serde(rename = "max_tokens")]
    _max_tokens: u32,
    system: Vec<Block>,
    messages: Vec<Turn>,
    #[serde(default)]
    tools: Vec<Offered>,
    #[serde(default)]
    tool_choice: Chosen,
    #[serde(default)]
    stream: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Turn {
    role: Role,
    content: Vec<Block>,
}

#[derive(Deserialize, PartialEq, Clone, Copy)]
#[serde(rename_all = "lowercase")]
enum Role {
    User,
    Assistant,
}

/// A block, whose fields are looked at only as its type has them: a tagged enum would not keep the digits of an input.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Block {
    #[serde(rename = "type")]
    kind: String,
    text: Option<String>,
    id: Option<String>,
    name: Option<String>,
    input: Option<Box<RawValue>>,
    tool_use_id: Option<String>,
    content: Option<String>,
    #[serde(rename = "cache_control")]
    _cache_control: Option<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Offered {
    name: String,
    description: String,
    input_schema: Map<String, Value>,
    #[serde(default)]
    strict: bool,
    #[serde(rename = "cache_control")]
    _cache_control: Option<Value>,
}

#[derive(Deserialize, Default)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
enum Chosen {
    #[default]
    Auto,
    Any,
    None,
}

/// Reads a request.
pub(super) fn read(body: &[u8]) -> Result<Body, String> {
    let request: Request =
        serde_json::from_slice(body).map_err(|error| format!("the request cannot be read: {error}"))?;
    let system = request.system.into_iter().filter_map(|block| block.text).collect();
    let mut messages = vec![Message::System { content: system }];
    let mut last = None;
    for (at, turn) in request.messages.into_iter().enumerate() {
        if last == Some(turn.role) || turn.content.is_empty() {
            return Err(format!("messages[{at}] is empty, or of the same role as the one before"));
        }
        last = Some(turn.role);
        match turn.role {
            Role::User => {
                for block in turn.content {
                    messages.push(said(block).ok_or_else(|| format!("messages[{at}] has a block that is no user's"))?);
                }
            }
            Role::Assistant => messages.push(
                answered(turn.content).ok_or_else(|| format!("messages[{at}] has a block that is no assistant's"))?,
            ),
        }
    }
    let tool = |Offered { name, description, input_schema: parameters, strict, .. }| Tool {
        _type: FunctionWord::Function,
        function: Definition { name, description, strict, parameters },
    };
    Ok(Body {
        model: request.model,
        messages,
        tools: request.tools.into_iter().map(tool).collect(),
        tool_choice: match request.tool_choice {
            Chosen::Auto => Choice::Auto,
            Chosen::Any => Choice::Required,
            Chosen::None => Choice::None,
        },
        stream: request.stream,
        _stream_options: StreamOptions::default(),
    })
}

fn said(block: Block) -> Option<Message> {
    match block.kind.as_str() {
        "text" => Some(Message::User { content: block.text? }),
        "tool_result" => Some(Message::Tool { tool_call_id: block.tool_use_id?, content: block.content? }),
        _ => None,
    }
}

fn answered(blocks: Vec<Block>) -> Option<Message> {
    let (mut content, mut tool_calls) = (None, Vec::new());
    for block in blocks {
        match block.kind.as_str() {
            "text" => content = Some(content.unwrap_or_default() + &*block.text?),
            "tool_use" => {
                let function = Called { name: block.name?, arguments: block.input?.get().to_owned() };
                tool_calls.push(Call { id: block.id?, _type: FunctionWord::Function, function });
            }
            _ => return None,
        }
    }
    Some(Message::Assistant { content, tool_calls })
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Spoken<'a> {
    Text { text: &'a str },
    ToolUse { id: &'a str, name: &'a str, input: Box<RawValue> },
}

/// The body of a reply.
pub(super) fn written(reply: &Reply, conversation: &Conversation, request_bytes: usize) -> String {
    let (blocks, reason) = match reply {
        Reply::Text(text) => (vec![Spoken::Text { text }], "end_turn"),
        Reply::Calls(calls) => {
            let call = |call: &super::Call| Spoken::ToolUse {
                id: call.id,
                name: call.name,
                // What a script writes is JSON; were it not, the run would say what is wrong with null.
                input: RawValue::from_string(call.arguments.clone()).unwrap_or_default(),
            };
            (calls.iter().map(call).collect(), "tool_use")
        }
    };
    let content = serde_json::to_string(&blocks).unwrap_or_default();
    let usage = json!({"input_tokens": tokens(request_bytes), "output_tokens": tokens(content.len())});
    let id = format!("msg_scripted_{}", conversation.turns + 1);
    // By hand, so that the amounts in the blocks stay the digits that they are.
    format!(
        r#"{{"id":{},"type":"message","role":"assistant","model":{},"content":{content},"stop_reason":"{reason}","stop_sequence":null,"usage":{usage}}}"#,
        json!(id),
        json!(conversation.model),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_becomes_the_messages_that_it_stands_for() {
        let request = json!({
            "model": "m", "max_tokens": 1, "system": [{"type": "text", "text": "Coordinate."}],
            "messages": [
                {"role": "user", "content": [{"type": "text", "text": "Compute."}]},
                {"role": "assistant", "content": [{"type": "tool_use", "id": "a", "name": "tax", "input": {}}]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "{}"}]},
            ],
        });
        let body = read(request.to_string().as_bytes()).unwrap();
        assert!(matches!(
            &body.messages[..],
            [Message::System { .. }, Message::User { .. }, Message::Assistant { .. }, Message::Tool { .. }]
        ));
        let mut twice = request;
        twice["messages"][1]["role"] = json!("user");
        assert!(read(twice.to_string().as_bytes()).is_err());
    }
}
