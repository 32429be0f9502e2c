//! The content of a message: text, or parts of text and of thinking.

use agent_http::opaque::Fields;
use serde_json::{Map, Value};

/// What a content says.
#[derive(Default)]
pub(crate) struct Said {
    pub(crate) text: String,
    pub(crate) reasoning: String,
}

/// Reads a content of any type.
pub(crate) fn said(content: Value) -> Said {
    let mut said = Said::default();
    match content {
        Value::Null => {}
        Value::String(text) => said.text = text,
        Value::Array(parts) => parts.into_iter().for_each(|part| said.add(part)),
        // A server in JSON mode that gives the object itself, or a token that it took for a literal.
        other => said.text = other.to_string(),
    }
    said
}

impl Said {
    fn add(&mut self, part: Value) {
        match part {
            Value::String(text) => self.text.push_str(&text),
            Value::Object(fields) => match fields.get("type").and_then(Value::as_str) {
                Some("thinking" | "reasoning") => self.reasoning.push_str(&thought(&fields)),
                Some("refusal") => {}
                _ => self.text.push_str(text_of(&fields)),
            },
            _ => {}
        }
    }
}

fn text_of(fields: &Map<String, Value>) -> &str {
    fields.get("text").and_then(Value::as_str).unwrap_or_default()
}

/// The text of one thinking part or reasoning detail, under whichever name it has.
fn thought(fields: &Map<String, Value>) -> String {
    for name in ["text", "thinking", "reasoning", "summary", "content"] {
        match fields.get(name) {
            Some(Value::String(text)) => return text.clone(),
            Some(Value::Array(parts)) => {
                return parts.iter().filter_map(Value::as_object).map(text_of).collect();
            }
            _ => {}
        }
    }
    String::new()
}

/// The reasoning beside the content. The same thought may stand under several names; the first counts.
pub(crate) fn reasoning(other: &Fields) -> Option<String> {
    let value = |name| other.get(name)?.value();
    let named = ["reasoning_content", "reasoning"].into_iter().find_map(|name| match value(name)? {
        Value::String(text) if !text.is_empty() => Some(text),
        Value::Object(fields) => Some(thought(&fields)).filter(|text| !text.is_empty()),
        _ => None,
    });
    named.or_else(|| {
        let details = value("reasoning_details")?;
        let details = details.as_array()?;
        let text: String = details.iter().filter_map(Value::as_object).map(thought).collect();
        (!text.is_empty()).then_some(text)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn parts_of_text_are_joined_and_thinking_is_kept_apart() {
        let said = said(json!([
            {"type": "thinking", "thinking": [{"type": "text", "text": "Hm. "}, {"type": "reference", "ids": [1]}]},
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "So."}]},
            {"type": "text", "text": "Four"}, "!", 7, null,
        ]));
        assert_eq!((said.text.as_str(), said.reasoning.as_str()), ("Four!", "Hm. So."));
    }

    #[test]
    fn a_thought_under_two_names_counts_once() {
        let twice = json!({"reasoning": "Once.", "reasoning_details": [{"type": "reasoning.text", "text": "Once."}]});
        assert_eq!(reasoning(&Fields::sent(&twice).unwrap()).as_deref(), Some("Once."));
    }

    #[test]
    fn an_empty_name_does_not_hide_the_next_one() {
        let other = json!({"reasoning_content": "", "reasoning": null, "reasoning_details": [{"summary": "Kept."}]});
        assert_eq!(reasoning(&Fields::sent(&other).unwrap()).as_deref(), Some("Kept."));
    }
}
