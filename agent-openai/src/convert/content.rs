//! The content of a message: text, or parts of text and of thinking.

use std::borrow::Cow;

use agent_http::json;
use agent_http::lenient::Raw;
use agent_http::opaque::Fields;
use serde_json::{Map, Value};

/// What a content says.
#[derive(Default)]
pub(crate) struct Said<'a> {
    pub(crate) text: Cow<'a, str>,
    pub(crate) reasoning: String,
}

/// Reads a content of any type; none where it cannot be read.
pub(crate) fn said(content: Raw<'_>) -> Option<Said<'_>> {
    let mut said = Said::default();
    let Some(content) = content.0 else { return Some(said) };
    if content.starts_with('"') {
        said.text = json::text(content)?;
        return Some(said);
    }
    match json::read(content.as_bytes()).ok()? {
        Value::Null => {}
        Value::Array(parts) => parts.into_iter().for_each(|part| said.add(part)),
        // A server in JSON mode that gives the object itself, or a token that it took for a literal.
        other => said.text = other.to_string().into(),
    }
    Some(said)
}

impl Said<'_> {
    fn add(&mut self, part: Value) {
        match part {
            Value::String(text) => self.text.to_mut().push_str(&text),
            Value::Object(fields) => match fields.get("type").and_then(Value::as_str) {
                Some("thinking" | "reasoning") => self.reasoning.push_str(&thought(&fields)),
                Some("refusal") => {}
                _ => self.text.to_mut().push_str(text_of(&fields)),
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
    if other.is_empty() {
        return None;
    }
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
        let content = json!([
            {"type": "thinking", "thinking": [{"type": "text", "text": "Hm. "}, {"type": "reference", "ids": [1]}]},
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "So."}]},
            {"type": "text", "text": "Four"}, "!", 7, null,
        ])
        .to_string();
        let said = said(Raw(Some(&content))).unwrap();
        assert_eq!((&*said.text, said.reasoning.as_str()), ("Four!", "Hm. So."));
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
