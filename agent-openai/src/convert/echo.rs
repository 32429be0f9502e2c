//! Fields that the format does not have and that a server needs to see again: signatures, thoughts.

use agent_core::model::Echo;
use agent_http::json::is_hollow;
use serde_json::{Map, Value};

use super::FORMAT;

/// How far back the item is looked for that a piece of a list continues.
const NEAR: usize = 32;

/// What only ever comes from a server. `audio` is taken back as an id alone, and we ask for none.
const NOT_SENT_BACK: [&str; 2] = ["annotations", "audio"];
/// Names that the adapter writes itself, so that nothing stands twice in an object.
const OWN: [&str; 9] =
    ["role", "content", "refusal", "tool_calls", "function_call", "tool_call_id", "id", "type", "function"];

/// The fields as they are kept with the message.
pub(crate) fn kept(mut fields: Map<String, Value>) -> Option<Echo> {
    fields.retain(|name, value| !NOT_SENT_BACK.contains(&name.as_str()) && !is_hollow(value));
    (!fields.is_empty()).then(|| Echo { format: FORMAT.to_owned(), fields: Value::Object(fields) })
}

/// The fields to send, if they are of this format.
pub(crate) fn sent(echo: Option<&Echo>) -> Map<String, Value> {
    let Some(Echo { format, fields: Value::Object(fields) }) = echo else { return Map::new() };
    if format != FORMAT {
        return Map::new();
    }
    let own = |name: &str| OWN.contains(&name);
    fields.iter().filter(|(name, _)| !own(name)).map(|(name, value)| (name.clone(), value.clone())).collect()
}

/// Adds the fields of a further chunk: text continues, lists grow, anything else is replaced.
pub(crate) fn merge(into: &mut Map<String, Value>, from: Map<String, Value>) {
    for (name, value) in from {
        match (into.get_mut(&name), value) {
            (_, Value::Null) => {}
            (Some(Value::String(text)), Value::String(more)) => text.push_str(&more),
            (Some(Value::Array(items)), Value::Array(more)) => more.into_iter().for_each(|item| add(items, item)),
            (Some(Value::Object(fields)), Value::Object(more)) => fields.extend(more),
            (_, value) => {
                into.insert(name, value);
            }
        }
    }
}

/// Adds an item of a list. Items with an index come in pieces, as calls do.
fn add(items: &mut Vec<Value>, item: Value) {
    let same = |kept: &Value| {
        let index = item.get("index");
        index.is_some() && kept.get("index") == index && kept.get("type") == item.get("type")
    };
    // Only near the end, so that an endless list costs no more and more.
    let Some(kept) = items.iter_mut().rev().take(NEAR).find(|kept| same(kept)) else {
        items.push(item);
        return;
    };
    let (Value::Object(kept), Value::Object(more)) = (kept, item) else { return };
    for (name, value) in more {
        match (name.as_str(), kept.get_mut(&name), value) {
            ("text" | "summary" | "data", Some(Value::String(text)), Value::String(more)) => text.push_str(&more),
            (_, _, Value::Null) => {}
            (_, _, value) => {
                kept.insert(name, value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn fields(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn hollow_fields_and_annotations_are_not_kept() {
        let kept = kept(fields(json!({"annotations": [1], "a": null, "b": "", "c": {"d": []}, "e": {"f": 0}})));
        assert_eq!(kept.unwrap().fields, json!({"e": {"f": 0}}));
    }

    #[test]
    fn another_format_and_our_own_names_are_not_sent() {
        let other = Echo { format: "anthropic".to_owned(), fields: json!({"signature": "x"}) };
        assert!(sent(Some(&other)).is_empty());
        let ours = Echo { format: FORMAT.to_owned(), fields: json!({"role": "system", "reasoning_content": "x"}) };
        assert_eq!(sent(Some(&ours)), fields(json!({"reasoning_content": "x"})));
    }

    #[test]
    fn pieces_of_a_reasoning_detail_become_one() {
        let mut whole = Map::new();
        for piece in [
            json!({"index": 0, "type": "reasoning.text", "text": "Let ", "signature": null}),
            json!({"index": 0, "type": "reasoning.text", "text": "me", "signature": null}),
            json!({"index": 0, "type": "reasoning.text", "signature": "sig"}),
            json!({"index": 1, "type": "reasoning.encrypted", "data": "zz"}),
        ] {
            merge(&mut whole, fields(json!({"reasoning_details": [piece]})));
        }
        let details = json!([
            {"index": 0, "type": "reasoning.text", "text": "Let me", "signature": "sig"},
            {"index": 1, "type": "reasoning.encrypted", "data": "zz"},
        ]);
        assert_eq!(whole["reasoning_details"], details);
    }
}
