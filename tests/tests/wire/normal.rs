//! The normal form in which the corpus states what is right.

use agent_core::model::{Finish, ModelError, Reply};
use serde_json::{Value, json};

pub(crate) fn form(answer: Result<Reply, ModelError>) -> Value {
    match answer {
        Ok(reply) => answered(&reply),
        Err(error) => json!({"error": {
            "class": error.kind().as_str(),
            "retryable": error.is_retryable(),
            "message_contains": error.message(),
            "retry_after_ms": error.get_retry_after().map(|wait| wait.as_millis() as u64),
        }}),
    }
}

fn answered(reply: &Reply) -> Value {
    let calls = reply.calls.iter().map(|call| {
        let arguments = serde_json::from_str(&call.arguments);
        json!({
            "id": call.id.as_str(),
            "name": call.name,
            "arguments": arguments.unwrap_or_else(|_| json!({"invalid": call.arguments})),
        })
    });
    let usage = reply.usage.map(|usage| {
        json!({
            "input": usage.input,
            "output": usage.output,
            "cached_input": usage.cached_input,
            "reasoning": usage.reasoning,
        })
    });
    json!({
        "text": reply.text,
        "reasoning": reply.reasoning,
        "refusal": reply.refusal,
        "tool_calls": calls.collect::<Vec<_>>(),
        "finish": reply.finish.as_ref().map(|finish| match finish {
            Finish::Stop => "stop",
            Finish::ToolCalls => "tool_calls",
            Finish::Length => "length",
            Finish::ContentFilter => "content_filter",
            _ => "other",
        }),
        "usage": usage,
    })
}

/// Whether a value is the right one, as far as the corpus says.
pub(crate) fn is(right: &Value, got: &Value) -> bool {
    if let (Some(right), Some(got)) = (right.get("error"), got.get("error")) {
        let part = right["message_contains"].as_str().unwrap_or_default();
        return ["class", "retryable", "retry_after_ms"].iter().all(|field| right[field] == got[field])
            && got["message_contains"].as_str().unwrap_or_default().contains(part.trim());
    }
    ["text", "reasoning", "refusal", "finish"].iter().all(|field| said(&right[field]) == said(&got[field]))
        && right.get("error").is_none()
        && got.get("error").is_none()
        && usage(&right["usage"]) == usage(&got["usage"])
        && calls(&right["tool_calls"], &got["tool_calls"])
}

/// An empty string and null are the same.
fn said(value: &Value) -> Option<&str> {
    value.as_str().filter(|text| !text.is_empty())
}

fn usage(value: &Value) -> Option<[u64; 4]> {
    value.as_object()?;
    Some(["input", "output", "cached_input", "reasoning"].map(|field| value[field].as_u64().unwrap_or(0)))
}

fn calls(right: &Value, got: &Value) -> bool {
    let (right, got) = (right.as_array().unwrap(), got.as_array().unwrap());
    let ids: Vec<_> = right.iter().map(|call| said(&call["id"])).collect();
    let is_unique = |id: Option<&str>| id.is_some() && ids.iter().filter(|other| **other == id).count() == 1;
    right.len() == got.len()
        && right.iter().zip(got).all(|(right, got)| {
            right["name"] == got["name"]
                && same(&right["arguments"], &got["arguments"])
                && (!is_unique(said(&right["id"])) || right["id"] == got["id"])
        })
}

/// Numbers compare by value.
fn same(right: &Value, got: &Value) -> bool {
    match (right, got) {
        (Value::Number(right), Value::Number(got)) => right == got || right.as_f64() == got.as_f64(),
        (Value::Array(right), Value::Array(got)) => {
            right.len() == got.len() && right.iter().zip(got).all(|(right, got)| same(right, got))
        }
        (Value::Object(right), Value::Object(got)) => {
            right.len() == got.len()
                && right.iter().all(|(name, value)| got.get(name).is_some_and(|got| same(value, got)))
        }
        _ => right == got,
    }
}
