//! The contract of adapters.

use agent_core::model::{Finish, ModelErrorKind as Kind, Reply};
use agent_core::testing::{self, Asked, Said, ScriptedWire};
use agent_openai::OpenAi;
use serde_json::{Value, json};

/// Chat completions.
struct Completions;

fn usage(reply: &Reply) -> Option<Value> {
    let usage = reply.usage?;
    Some(json!({
        "prompt_tokens": usage.input,
        "completion_tokens": usage.output,
        "prompt_tokens_details": {"cached_tokens": usage.cached_input},
    }))
}

fn reason(reply: &Reply) -> Value {
    match &reply.finish {
        Some(Finish::Stop) => json!("stop"),
        Some(Finish::ToolCalls) => json!("tool_calls"),
        Some(Finish::Length) => json!("length"),
        Some(Finish::ContentFilter) => json!("content_filter"),
        Some(Finish::Other(word)) => json!(word),
        _ => Value::Null,
    }
}

fn calls(reply: &Reply, opaque: Option<&str>) -> Vec<Value> {
    let call = |(index, call): (usize, &agent_core::model::ToolCall)| {
        let function = json!({"name": call.name, "arguments": call.arguments});
        let mut call = json!({"index": index, "id": call.id, "type": "function", "function": function});
        if let Some(opaque) = opaque {
            call["extra_content"] = json!({"signature": opaque});
        }
        call
    };
    reply.calls.iter().enumerate().map(call).collect()
}

impl ScriptedWire for Completions {
    fn whole(&self, reply: &Reply, opaque: Option<&str>) -> String {
        let mut message = json!({"role": "assistant", "content": reply.text, "reasoning_content": reply.reasoning});
        message["refusal"] = json!(reply.refusal);
        message["tool_calls"] = json!(calls(reply, opaque));
        let choice = json!({"index": 0, "message": message, "finish_reason": reason(reply)});
        json!({"id": reply.id, "model": reply.model, "choices": [choice], "usage": usage(reply)}).to_string()
    }

    fn events(&self, reply: &Reply, opaque: Option<&str>) -> Vec<String> {
        let mut deltas = vec![json!({"role": "assistant"})];
        deltas.extend(reply.reasoning.iter().map(|text| json!({"reasoning_content": text})));
        let text = reply.text.iter().flat_map(|text| text.split_inclusive(' '));
        deltas.extend(text.map(|text| json!({"content": text})));
        let refusal = reply.refusal.iter().flat_map(|text| text.split_inclusive(' '));
        deltas.extend(refusal.map(|text| json!({"refusal": text})));
        for mut call in calls(reply, opaque) {
            let arguments = call["function"]["arguments"].take();
            call["function"]["arguments"] = json!("");
            let index = call["index"].clone();
            deltas.push(json!({"tool_calls": [call]}));
            deltas.push(json!({"tool_calls": [{"index": index, "function": {"arguments": arguments}}]}));
        }
        let chunk = |delta: Value, reason: Value| {
            let choice = json!({"index": 0, "delta": delta, "finish_reason": reason});
            format!("data: {}\n\n", json!({"id": reply.id, "model": reply.model, "choices": [choice]}))
        };
        let mut events: Vec<_> = deltas.into_iter().map(|delta| chunk(delta, Value::Null)).collect();
        events.push(chunk(json!({}), reason(reply)));
        events.push(format!("data: {}\n\n", json!({"choices": [], "usage": usage(reply)})));
        events.push("data: [DONE]\n\n".to_owned());
        events
    }

    fn error(&self, kind: Kind, words: &str) -> Option<(u16, String)> {
        let (status, code) = match kind {
            Kind::Auth => (401, "invalid_api_key"),
            Kind::RateLimit => (429, "rate_limit_exceeded"),
            Kind::InvalidRequest => (400, "invalid_value"),
            Kind::ContextLength => (400, "context_length_exceeded"),
            Kind::Server => (500, "server_error"),
            Kind::Overloaded => (503, "unavailable"),
            Kind::ContentFilter => (400, "content_filter"),
            Kind::NotFound => (404, "model_not_found"),
            _ => return None,
        };
        Some((status, json!({"error": {"message": words, "code": code}}).to_string()))
    }

    fn asked(&self, body: &Value) -> Asked {
        crate::server::check(body);
        let mut asked = Asked::default();
        for message in body["messages"].as_array().unwrap() {
            let text = message["content"].as_str().map(str::to_owned);
            match message["role"].as_str().unwrap() {
                "system" => asked.system = text,
                "user" => asked.said.extend(text.map(Said::Person)),
                "assistant" => asked.said.extend(text.map(Said::Model)),
                _ => {
                    let id = message["tool_call_id"].as_str().unwrap().to_owned();
                    asked.said.push(Said::Result { id, content: text.unwrap() });
                }
            }
            for call in message["tool_calls"].as_array().into_iter().flatten() {
                let text = |value: &Value| value.as_str().unwrap().to_owned();
                let arguments = text(&call["function"]["arguments"]);
                let arguments = serde_json::from_str(&arguments).unwrap_or(Value::String(arguments));
                asked.said.push(Said::Call { id: text(&call["id"]), name: text(&call["function"]["name"]), arguments });
            }
        }
        let tools = body["tools"].as_array().into_iter().flatten();
        asked.tools = tools.map(|tool| tool["function"]["name"].as_str().unwrap().to_owned()).collect();
        asked.stream = body["stream"] == true;
        asked
    }
}

#[tokio::test]
async fn the_adapter_keeps_the_contract() {
    let make = |base_url: &str| {
        OpenAi::builder().base_url(base_url).retry_waits(Default::default(), Default::default()).build().unwrap()
    };
    testing::adapter(&Completions, make).await;
}
