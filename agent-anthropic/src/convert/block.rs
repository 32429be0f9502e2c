//! One block of a reply, from the pieces in which it arrives.

use agent_core::model::{Delta, Echo, ToolCall};
use agent_http::arguments;
use agent_http::json::is_hollow;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::{FORMAT, Unfit};
use crate::wire::message::Called;

/// A block in the making. What the core has no name for is in `other`, as it came.
#[derive(Debug)]
pub(super) struct Block {
    /// Its place, as the server counts.
    pub(super) index: Option<u64>,
    pub(super) kind: Kind,
    pub(super) other: Map<String, Value>,
    /// Whether a delta has come.
    pub(super) continued: bool,
}

#[derive(Debug, PartialEq)]
pub(super) enum Kind {
    Text(String),
    /// Thinking that can be read; its signature is beside it.
    Thinking(String),
    Call {
        /// Its place among the calls.
        position: usize,
        id: String,
        name: String,
        /// The whole input, where it came at once.
        input: Option<String>,
        /// The input as it was streamed.
        written: String,
    },
    /// Whatever only the server understands; `written` is its streamed input.
    Opaque {
        written: String,
    },
}

/// The fields of the three kinds that the core knows, which do not stand among the others.
const KNOWN: [&str; 6] = ["type", "text", "thinking", "id", "name", "input"];

impl Block {
    /// A block as it begins, or a whole one.
    pub(super) fn begun(index: Option<u64>, raw: &RawValue, position: usize) -> Option<Self> {
        let mut fields: Map<String, Value> = agent_http::json::read(raw.get().as_bytes()).ok()?;
        let text = |fields: &mut Map<String, Value>, name: &str| match fields.remove(name) {
            Some(Value::String(text)) => text,
            _ => String::new(),
        };
        let kind = match fields.get("type").and_then(Value::as_str) {
            Some("text") => Kind::Text(text(&mut fields, "text")),
            Some("thinking") => Kind::Thinking(text(&mut fields, "thinking")),
            Some("tool_use") => Kind::Call {
                position,
                id: text(&mut fields, "id"),
                name: text(&mut fields, "name"),
                // Read from the text, since numbers of a tree are not always those of the text.
                input: agent_http::json::read::<Called>(raw.get().as_bytes())
                    .ok()
                    .and_then(|called| called.input)
                    .map(|input| input.get().to_owned()),
                written: String::new(),
            },
            _ => Kind::Opaque { written: String::new() },
        };
        if !matches!(kind, Kind::Opaque { .. }) {
            fields.retain(|name, _| !KNOWN.contains(&name.as_str()));
        }
        Some(Self { index, kind, other: fields, continued: false })
    }

    /// A block whose beginning never came.
    pub(super) fn missed(index: Option<u64>, delta: &str) -> Option<Self> {
        let kind = match delta {
            "text_delta" => Kind::Text(String::new()),
            "thinking_delta" | "signature_delta" => Kind::Thinking(String::new()),
            _ => return None,
        };
        Some(Self { index, kind, other: Map::new(), continued: false })
    }

    /// What the beginning says already.
    pub(super) fn beginning(&self) -> Option<Delta> {
        match &self.kind {
            Kind::Text(text) if !text.is_empty() => Some(Delta::Text(text.clone())),
            Kind::Thinking(text) if !text.is_empty() => Some(Delta::Reasoning(text.clone())),
            Kind::Call { position, id, name, input, .. } => {
                let arguments = input.as_deref().filter(|input| !matches!(*input, "{}" | "null"));
                Some(Delta::Call {
                    index: *position,
                    id: Some(id.clone()).filter(|id| !id.is_empty()),
                    name: Some(name.clone()).filter(|name| !name.is_empty()),
                    arguments: arguments.unwrap_or_default().to_owned(),
                })
            }
            _ => None,
        }
    }

    /// Takes a delta; gives what it added.
    pub(super) fn continue_with(
        &mut self,
        delta: Map<String, Value>,
        most_bytes: usize,
    ) -> Result<Option<Delta>, Unfit> {
        self.continued = true;
        let kind = delta.get("type").and_then(Value::as_str).unwrap_or_default();
        let text = |name: &str| delta.get(name).and_then(Value::as_str).unwrap_or_default();
        match (&mut self.kind, kind) {
            (Kind::Text(so_far), "text_delta") => {
                so_far.push_str(text("text"));
                Ok(shown(Delta::Text, text("text")))
            }
            (Kind::Thinking(so_far), "thinking_delta") => {
                so_far.push_str(text("thinking"));
                Ok(shown(Delta::Reasoning, text("thinking")))
            }
            (Kind::Call { position, written, .. }, "input_json_delta") => {
                let piece = text("partial_json").to_owned();
                written.push_str(&piece);
                if written.len() > most_bytes {
                    return Err(Unfit::TooLarge);
                }
                let delta = Delta::Call { index: *position, id: None, name: None, arguments: piece };
                Ok(Some(delta).filter(|_| !text("partial_json").is_empty()))
            }
            (Kind::Opaque { written }, "input_json_delta") => {
                written.push_str(text("partial_json"));
                if written.len() > most_bytes { Err(Unfit::TooLarge) } else { Ok(None) }
            }
            (Kind::Text(_) | Kind::Thinking(_), "input_json_delta") | (Kind::Call { .. }, "text_delta") => {
                Err(Unfit::Order("has a piece of one block inside another"))
            }
            // Text of another kind inside a block: the server counts its blocks wrongly, and the text is still text.
            (Kind::Text(so_far), "thinking_delta") if so_far.is_empty() => {
                self.kind = Kind::Thinking(text("thinking").to_owned());
                Ok(shown(Delta::Reasoning, text("thinking")))
            }
            (Kind::Text(_) | Kind::Thinking(_), "thinking_delta" | "text_delta") => {
                Err(Unfit::Order("has a piece of one block inside another"))
            }
            _ => {
                merge(&mut self.other, delta);
                Ok(None)
            }
        }
    }
}

fn shown(delta: fn(String) -> Delta, text: &str) -> Option<Delta> {
    (!text.is_empty()).then(|| delta(text.to_owned()))
}

/// Adds the fields of a delta: text continues, a citation joins the others, anything else is replaced.
fn merge(into: &mut Map<String, Value>, delta: Map<String, Value>) {
    for (name, value) in delta {
        let kept = match name.as_str() {
            "type" => continue,
            "citation" => into.entry("citations").or_insert_with(|| json!([])),
            name => into.entry(name.to_owned()).or_insert(Value::Null),
        };
        match (kept, value) {
            (_, Value::Null) => {}
            (Value::Array(items), Value::Array(more)) => items.extend(more),
            (Value::Array(items), item) => items.push(item),
            (Value::String(text), Value::String(more)) => text.push_str(&more),
            (kept, value) if name == "citation" => *kept = json!([value]),
            (kept, value) => *kept = value,
        }
    }
}

impl Block {
    /// The call, if it is one.
    pub(super) fn call(&self) -> Option<ToolCall> {
        let Kind::Call { id, name, input, written, .. } = &self.kind else { return None };
        let text = if written.trim().is_empty() { input.clone().unwrap_or_default() } else { written.clone() };
        let mut call = ToolCall::new(id, name, arguments::text(text));
        let other: Map<_, _> = self.other.iter().filter(|(_, value)| !is_hollow(value)).map(owned).collect();
        call.echo = (!other.is_empty()).then(|| Echo { format: FORMAT.to_owned(), fields: Value::Object(other) });
        Some(call)
    }

    /// The block as it is kept to go back: whole, or where text and calls stand between such blocks.
    pub(super) fn kept(self) -> Value {
        let Self { kind, mut other, .. } = self;
        match kind {
            Kind::Text(text) => {
                other.retain(|_, value| !is_hollow(value));
                other.insert("type".to_owned(), json!("text"));
                other.insert("bytes".to_owned(), json!(text.len()));
            }
            Kind::Call { .. } => return json!({"type": "tool_use"}),
            Kind::Thinking(text) => {
                other.insert("type".to_owned(), json!("thinking"));
                other.insert("thinking".to_owned(), json!(text));
            }
            Kind::Opaque { written } => {
                if let Ok(input) = serde_json::from_str(&written) {
                    other.insert("input".to_owned(), input);
                }
            }
        }
        Value::Object(other)
    }
}

fn owned((name, value): (&String, &Value)) -> (String, Value) {
    (name.clone(), value.clone())
}
