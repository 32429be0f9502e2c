//! One block of a reply, from the pieces in which it arrives.

use agent_core::model::{Delta, Echo, ToolCall};
use agent_http::arguments;
use agent_http::json::{self, Repaired};
use agent_http::lenient::Str;
use agent_http::opaque::{Fields, Opaque};
use serde_json::{Value, json};

use super::{FORMAT, Unfit};
use crate::wire::event::Piece;
use crate::wire::message::Called;

/// A block in the making. What the core has no name for is in `other`, as it came.
#[derive(Debug)]
pub(super) struct Block {
    /// Its place, as the server counts.
    pub(super) index: Option<u64>,
    pub(super) kind: Kind,
    pub(super) other: Fields,
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
    pub(super) fn begun(index: Option<u64>, raw: &str, position: usize) -> Option<Self> {
        let mut fields: Fields = json::read(raw.as_bytes()).ok()?;
        let text =
            |fields: &mut Fields, name: &str| fields.remove(name).and_then(Opaque::into_text).unwrap_or_default();
        let name = fields.get("type").cloned().and_then(Opaque::into_text);
        let kind = match name.as_deref() {
            Some("text") => Kind::Text(text(&mut fields, "text")),
            Some("thinking") => Kind::Thinking(text(&mut fields, "thinking")),
            Some("tool_use") => Kind::Call {
                position,
                id: text(&mut fields, "id"),
                name: text(&mut fields, "name"),
                // Read from the text, since numbers of a tree are not always those of the text.
                input: json::borrowed::<Called<'_>>(raw.as_bytes(), &Repaired::default())
                    .ok()
                    .and_then(|called| called.input.some())
                    .map(str::to_owned),
                written: String::new(),
            },
            _ => Kind::Opaque { written: String::new() },
        };
        if !matches!(kind, Kind::Opaque { .. }) {
            fields.retain(|name, _| !KNOWN.contains(&name));
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
        Some(Self { index, kind, other: Fields::default(), continued: false })
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

    /// Takes a delta; gives what it added. `delta` has all of its fields.
    pub(super) fn continue_with(
        &mut self,
        piece: &Piece<'_>,
        delta: impl FnOnce() -> Fields,
        most_bytes: usize,
    ) -> Result<Option<Delta>, Unfit> {
        self.continued = true;
        let text = |text: &Str<'_>| text.0.as_deref().unwrap_or_default().to_owned();
        let kind = piece.r#type.0.as_deref().unwrap_or_default();
        match (&mut self.kind, kind) {
            (Kind::Text(so_far), "text_delta") => {
                let piece = text(&piece.text);
                so_far.push_str(&piece);
                Ok(shown(Delta::Text, piece))
            }
            (Kind::Thinking(so_far), "thinking_delta") => {
                let piece = text(&piece.thinking);
                so_far.push_str(&piece);
                Ok(shown(Delta::Reasoning, piece))
            }
            (Kind::Call { position, written, .. }, "input_json_delta") => {
                let piece = text(&piece.partial_json);
                written.push_str(&piece);
                if written.len() > most_bytes {
                    return Err(Unfit::TooLarge);
                }
                let is_something = !piece.is_empty();
                let delta = Delta::Call { index: *position, id: None, name: None, arguments: piece };
                Ok(is_something.then_some(delta))
            }
            (Kind::Opaque { written }, "input_json_delta") => {
                written.push_str(piece.partial_json.0.as_deref().unwrap_or_default());
                if written.len() > most_bytes { Err(Unfit::TooLarge) } else { Ok(None) }
            }
            (Kind::Text(_) | Kind::Thinking(_), "input_json_delta") | (Kind::Call { .. }, "text_delta") => {
                Err(Unfit::Order("has a piece of one block inside another"))
            }
            // Text of another kind inside a block: the server counts its blocks wrongly, and the text is still text.
            (Kind::Text(so_far), "thinking_delta") if so_far.is_empty() => {
                let piece = text(&piece.thinking);
                self.kind = Kind::Thinking(piece.clone());
                Ok(shown(Delta::Reasoning, piece))
            }
            (Kind::Text(_) | Kind::Thinking(_), "thinking_delta" | "text_delta") => {
                Err(Unfit::Order("has a piece of one block inside another"))
            }
            _ => {
                merge(&mut self.other, delta());
                Ok(None)
            }
        }
    }
}

fn shown(delta: fn(String) -> Delta, text: String) -> Option<Delta> {
    (!text.is_empty()).then(|| delta(text))
}

/// Adds the fields of a delta: text continues, a citation joins the others, anything else is replaced.
fn merge(into: &mut Fields, delta: Fields) {
    for (name, mut value) in delta {
        if name == "type" || value.is_null() {
            continue;
        }
        let (name, item) = if name == "citation" { ("citations".to_owned(), true) } else { (name, false) };
        let Some(kept) = into.get_mut(&name) else {
            into.insert(name, if item { Opaque::List(vec![value]) } else { value });
            continue;
        };
        kept.open();
        if !item {
            value.open();
        }
        match (kept, value) {
            (Opaque::List(items), Opaque::List(more)) => items.extend(more),
            (Opaque::List(items), item) => items.push(item),
            (Opaque::Text(text), Opaque::Text(more)) => text.push_str(&more),
            (kept, value) if item => *kept = Opaque::List(vec![value]),
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
        let mut other = self.other.clone();
        other.retain(|_, value| !value.is_hollow());
        call.echo = (!other.is_empty()).then(|| Echo { format: FORMAT.to_owned(), fields: other.kept() });
        Some(call)
    }

    /// The block as it is kept to go back: whole, or where text and calls stand between such blocks.
    pub(super) fn kept(self) -> Value {
        let Self { kind, mut other, .. } = self;
        let mut set = |name: &str, value: Value| other.insert(name.to_owned(), Opaque::of(&value));
        match kind {
            Kind::Text(text) => {
                set("type", json!("text"));
                set("bytes", json!(text.len()));
                other.retain(|_, value| !value.is_hollow());
            }
            Kind::Call { .. } => return json!({"type": "tool_use"}),
            Kind::Thinking(text) => {
                set("type", json!("thinking"));
                set("thinking", json!(text));
            }
            Kind::Opaque { written } => {
                if let Ok(input) = serde_json::from_str::<Opaque>(&written) {
                    other.insert("input".to_owned(), input);
                }
            }
        }
        other.kept()
    }
}
