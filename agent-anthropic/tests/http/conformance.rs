//! The contract of adapters.

use agent_anthropic::Anthropic;
use agent_core::model::{Finish, ModelErrorKind as Kind, Reply};
use agent_core::testing::{self, Asked, Said, ScriptedWire};
use serde_json::{Value, json};

/// Messages.
struct Messages;

fn usage(reply: &Reply) -> Option<Value> {
    let usage = reply.usage?;
    Some(json!({
        "input_tokens": usage.input - usage.cached_input,
        "cache_read_input_tokens": usage.cached_input,
        "cache_creation_input_tokens": 0,
        "output_tokens": usage.output,
    }))
}

fn reason(reply: &Reply) -> Value {
    match &reply.finish {
        Some(Finish::Stop) => json!("end_turn"),
        Some(Finish::ToolCalls) => json!("tool_use"),
        Some(Finish::Length) => json!("max_tokens"),
        Some(Finish::ContentFilter) => json!("refusal"),
        Some(Finish::Other(word)) => json!(word),
        _ => Value::Null,
    }
}

fn blocks(reply: &Reply, opaque: Option<&str>) -> Vec<Value> {
    let mut blocks = Vec::new();
    if let (thinking @ Some(_), opaque) | (thinking @ None, opaque @ Some(_)) = (reply.reasoning.as_deref(), opaque) {
        let (thinking, signature) = (thinking.unwrap_or_default(), opaque.unwrap_or("c2ln"));
        blocks.push(json!({"type": "thinking", "thinking": thinking, "signature": signature}));
    }
    blocks.extend(reply.text.iter().map(|text| json!({"type": "text", "text": text})));
    for call in &reply.calls {
        let input: Value = serde_json::from_str(&call.arguments).unwrap();
        blocks.push(json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input}));
    }
    blocks
}

fn event(data: Value) -> String {
    format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap())
}

impl ScriptedWire for Messages {
    /// A refusal is a reason to stop; its words are text.
    fn shows_refusals(&self) -> bool {
        false
    }

    fn whole(&self, reply: &Reply, opaque: Option<&str>) -> String {
        json!({
            "type": "message", "role": "assistant", "id": reply.id, "model": reply.model,
            "content": blocks(reply, opaque), "stop_reason": reason(reply), "usage": usage(reply),
        })
        .to_string()
    }

    fn events(&self, reply: &Reply, opaque: Option<&str>) -> Vec<String> {
        let mut begun = usage(reply).unwrap();
        begun["output_tokens"] = json!(1);
        let message = json!({"type": "message", "id": reply.id, "model": reply.model, "content": [], "usage": begun});
        let mut events =
            vec![event(json!({"type": "message_start", "message": message})), event(json!({"type": "ping"}))];
        for (index, mut block) in blocks(reply, opaque).into_iter().enumerate() {
            let mut deltas = Vec::new();
            match block["type"].as_str().unwrap() {
                "text" => {
                    let text = block["text"].as_str().unwrap().split_inclusive(' ');
                    deltas.extend(text.map(|text| json!({"type": "text_delta", "text": text})));
                    block["text"] = json!("");
                }
                "thinking" => {
                    deltas.push(json!({"type": "thinking_delta", "thinking": block["thinking"].take()}));
                    deltas.push(json!({"type": "signature_delta", "signature": block["signature"].take()}));
                    block = json!({"type": "thinking", "thinking": "", "signature": ""});
                }
                _ => {
                    let input = block["input"].take().to_string();
                    let (first, second) = input.split_at(1);
                    deltas
                        .extend([first, second].map(|text| json!({"type": "input_json_delta", "partial_json": text})));
                    block["input"] = json!({});
                }
            }
            events.push(event(json!({"type": "content_block_start", "index": index, "content_block": block})));
            let delta = |delta| event(json!({"type": "content_block_delta", "index": index, "delta": delta}));
            events.extend(deltas.into_iter().map(delta));
            events.push(event(json!({"type": "content_block_stop", "index": index})));
        }
        let output = json!({"output_tokens": usage(reply).unwrap()["output_tokens"]});
        let delta = json!({"stop_reason": reason(reply), "stop_sequence": null});
        events.push(event(json!({"type": "message_delta", "delta": delta, "usage": output})));
        events.push(event(json!({"type": "message_stop"})));
        events
    }

    fn error(&self, kind: Kind, words: &str) -> Option<(u16, String)> {
        let (status, name) = match kind {
            Kind::Auth => (401, "authentication_error"),
            Kind::RateLimit => (429, "rate_limit_error"),
            Kind::InvalidRequest => (400, "invalid_request_error"),
            Kind::ContextLength => (413, "request_too_large"),
            Kind::Server => (500, "api_error"),
            Kind::Overloaded => (529, "overloaded_error"),
            Kind::NotFound => (404, "not_found_error"),
            _ => return None,
        };
        Some((status, json!({"type": "error", "error": {"type": name, "message": words}}).to_string()))
    }

    fn asked(&self, body: &Value) -> Asked {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let mut asked = Asked { system: Some(text(&body["system"][0]["text"])), ..Asked::default() };
        let mut last = Value::Null;
        for message in body["messages"].as_array().unwrap() {
            assert_ne!(message["role"], last, "roles alternate");
            last = message["role"].clone();
            for block in message["content"].as_array().unwrap() {
                asked.said.extend(match (last.as_str().unwrap(), block["type"].as_str().unwrap()) {
                    ("user", "text") => Some(Said::Person(text(&block["text"]))),
                    ("assistant", "text") => Some(Said::Model(text(&block["text"]))),
                    ("assistant", "tool_use") => {
                        assert!(block["input"].is_object(), "an input is an object");
                        let (id, name) = (text(&block["id"]), text(&block["name"]));
                        Some(Said::Call { id, name, arguments: block["input"].clone() })
                    }
                    ("user", "tool_result") => {
                        Some(Said::Result { id: text(&block["tool_use_id"]), content: text(&block["content"]) })
                    }
                    _ => None,
                });
            }
        }
        let tools = body["tools"].as_array().into_iter().flatten();
        asked.tools = tools.map(|tool| text(&tool["name"])).collect();
        asked.stream = body["stream"] == true;
        asked
    }
}

#[tokio::test]
async fn the_adapter_keeps_the_contract() {
    let make = |base_url: &str| {
        Anthropic::builder().base_url(base_url).retry_waits(Default::default(), Default::default()).build().unwrap()
    };
    testing::adapter(&Messages, make).await;
}
