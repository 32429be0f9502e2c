//! The contract, held against the adapter.

use agent_core::model::{Finish, ModelErrorKind, Reply};
use agent_core::testing::{self, Asked, Said, ScriptedWire};
use serde_json::{Value, json};

use crate::parrot::Parrot;

/// How Parrot's servers say it.
pub(crate) struct Squawk;

fn end(reply: &Reply, seal: Option<&str>) -> Value {
    let why = match &reply.finish {
        Some(Finish::Stop) => "done",
        Some(Finish::ToolCalls) => "calls",
        Some(Finish::Length) => "cut",
        Some(Finish::Other(word)) => word,
        _ => "filtered",
    };
    let cost = reply.usage.map(|usage| json!([usage.input, usage.cached_input, usage.output]));
    json!({"id": reply.id, "voice": reply.model, "why": why, "cost": cost, "seal": seal})
}

fn calls(reply: &Reply) -> Value {
    reply.calls.iter().map(|call| json!([call.id, call.name, call.arguments])).collect()
}

impl ScriptedWire for Squawk {
    fn shows_refusals(&self) -> bool {
        false // What a parrot will not do, it says as text.
    }

    fn whole(&self, reply: &Reply, opaque: Option<&str>) -> String {
        let mut whole = end(reply, opaque);
        whole["text"] = json!(reply.text.as_deref().unwrap_or_default());
        whole["thought"] = json!(reply.reasoning.as_deref().unwrap_or_default());
        whole["calls"] = calls(reply);
        whole.to_string()
    }

    fn events(&self, reply: &Reply, opaque: Option<&str>) -> Vec<String> {
        let mut events: Vec<Value> = reply.reasoning.iter().map(|thought| json!({"thought": thought})).collect();
        let words = reply.text.iter().flat_map(|text| text.split_inclusive(' '));
        events.extend(words.map(|word| json!({"text": word})));
        events.push(json!({"calls": calls(reply)}));
        events.push(end(reply, opaque));
        events.iter().map(|event| format!("data: {event}\n\n")).collect()
    }

    fn error(&self, kind: ModelErrorKind, words: &str) -> Option<(u16, String)> {
        let status = match kind {
            ModelErrorKind::Auth => 401,
            ModelErrorKind::NotFound => 404,
            ModelErrorKind::InvalidRequest => 422,
            ModelErrorKind::RateLimit => 429,
            ModelErrorKind::Server => 500,
            ModelErrorKind::Overloaded => 503,
            _ => return None,
        };
        Some((status, json!({"error": words}).to_string()))
    }

    fn asked(&self, body: &Value) -> Asked {
        let text = |value: &Value| value.as_str().map(str::to_owned);
        let mut asked = Asked { system: text(&body["system"]), stream: body["stream"] == true, ..Asked::default() };
        for line in body["lines"].as_array().unwrap() {
            let said = text(&line["text"]);
            asked.said.extend(match line["by"].as_str().unwrap() {
                "person" => said.map(Said::Person),
                "model" => said.map(Said::Model),
                _ => Some(Said::Result { id: text(&line["id"]).unwrap(), content: said.unwrap() }),
            });
            for call in line["calls"].as_array().into_iter().flatten() {
                let (id, name, input) = (text(&call[0]), text(&call[1]), text(&call[2]).unwrap());
                let arguments = serde_json::from_str(&input).unwrap_or(Value::String(input));
                asked.said.push(Said::Call { id: id.unwrap(), name: name.unwrap(), arguments });
            }
        }
        asked.tools = body["tools"].as_array().unwrap().iter().filter_map(|tool| text(&tool["name"])).collect();
        asked
    }
}

#[tokio::test]
async fn the_adapter_keeps_the_contract() {
    testing::adapter(&Squawk, |base_url| Parrot::new(base_url).unwrap()).await;
}
