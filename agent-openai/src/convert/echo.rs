//! Fields that the format does not have and that a server needs to see again: signatures, thoughts.

use agent_core::model::Echo;
use agent_http::opaque::{Fields, Opaque};

use super::FORMAT;

/// How far back the item is looked for that a piece of a list continues.
const NEAR: usize = 32;

/// What only ever comes from a server. `audio` is taken back as an id alone, and we ask for none.
const NOT_SENT_BACK: [&str; 2] = ["annotations", "audio"];
/// Names that the adapter writes itself, so that nothing stands twice in an object.
const OWN: [&str; 9] =
    ["role", "content", "refusal", "tool_calls", "function_call", "tool_call_id", "id", "type", "function"];

/// The fields as they are kept with the message.
pub(crate) fn kept(mut fields: Fields) -> Option<Echo> {
    fields.retain(|name, value| !NOT_SENT_BACK.contains(&name) && !value.is_hollow());
    (!fields.is_empty()).then(|| Echo { format: FORMAT.to_owned(), fields: fields.kept() })
}

/// The fields to send, if they are of this format.
pub(crate) fn sent(echo: Option<&Echo>) -> Fields {
    let ours = echo.filter(|echo| echo.format == FORMAT);
    let mut fields = ours.and_then(|echo| Fields::sent(&echo.fields)).unwrap_or_default();
    fields.retain(|name, _| !OWN.contains(&name));
    fields
}

/// Adds the fields of a further chunk: text continues, lists grow, anything else is replaced.
///
/// All of it stays as it was written, byte for byte.
pub(crate) fn merge(into: &mut Fields, from: Fields) {
    for (name, mut value) in from {
        if value.is_null() {
            continue;
        }
        let Some(kept) = into.get_mut(&name) else {
            into.insert(name, value);
            continue;
        };
        kept.open();
        value.open();
        match (kept, value) {
            (Opaque::Text(text), Opaque::Text(more)) => text.push_str(&more),
            (Opaque::List(items), Opaque::List(more)) => more.into_iter().for_each(|item| add(items, item)),
            (Opaque::Fields(fields), Opaque::Fields(more)) => {
                more.into_iter().for_each(|(name, value)| fields.insert(name, value));
            }
            (kept, value) => *kept = value,
        }
    }
}

/// Adds an item of a list. Items with an index come in pieces, as calls do.
fn add(items: &mut Vec<Opaque>, mut item: Opaque) {
    item.open();
    let Opaque::Fields(more) = item else {
        items.push(item);
        return;
    };
    // Only near the end, so that an endless list costs no more and more.
    let near = items.iter_mut().rev().take(NEAR);
    let kept = near.filter_map(|kept| {
        kept.open();
        if let Opaque::Fields(kept) = kept { Some(kept) } else { None }
    });
    match kept.into_iter().find(|kept| is_piece(kept, &more)) {
        Some(kept) => more.into_iter().for_each(|(name, value)| add_field(kept, name, value)),
        None => items.push(Opaque::Fields(more)),
    }
}

fn is_piece(kept: &Fields, more: &Fields) -> bool {
    let same = |name| match (kept.get(name), more.get(name)) {
        (Some(kept), Some(more)) => kept.is_same(more),
        (None, None) => true,
        _ => false,
    };
    more.get("index").is_some() && same("index") && same("type")
}

fn add_field(kept: &mut Fields, name: String, mut value: Opaque) {
    if value.is_null() {
        return;
    }
    if let ("text" | "summary" | "data", Some(so_far)) = (name.as_str(), kept.get_mut(&name)) {
        so_far.open();
        value.open();
        if let (Opaque::Text(text), Opaque::Text(more)) = (so_far, &value) {
            text.push_str(more);
            return;
        }
    }
    kept.insert(name, value);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn fields(value: Value) -> Fields {
        Fields::sent(&value).unwrap()
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
    fn pieces_are_joined_as_they_were_written() {
        let mut whole = Fields::default();
        for piece in [
            r#"{"note":"\u00e9\/","z":{"b":1.10},"details":[{"index":0,"text":"a\ud83d","n":1E5}]}"#,
            r#"{"note":"\u0041é","z":{"a":-0.0},"details":[{"index":0,"text":"\ude00"}, {"x":123456789012345678901}]}"#,
        ] {
            merge(&mut whole, serde_json::from_str(piece).unwrap());
        }
        let right = r#"{"note":"\u00e9\/\u0041é","z":{"b":1.10,"a":-0.0},"details":[{"index":0,"text":"a\ud83d\ude00","n":1E5},{"x":123456789012345678901}]}"#;
        assert_eq!(serde_json::to_string(&whole).unwrap(), right);
        let (kept, text) = (kept(whole).unwrap(), "\u{e9}/A\u{e9}");
        let sent = sent(Some(&kept));
        assert_eq!(serde_json::to_string(&sent).unwrap(), right);
        assert_eq!(sent.get("note").unwrap().value().unwrap(), json!(text));
    }

    #[test]
    fn pieces_of_a_reasoning_detail_become_one() {
        let mut whole = Fields::default();
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
        assert_eq!(whole.get("reasoning_details").unwrap().value().unwrap(), details);
    }
}
