//! Where two requests differ, in words.

use serde_json::Value;

/// How many differences are told.
const MOST: usize = 8;
/// The longest part of a value that is shown.
const SHOWN: usize = 160;

/// Adds what differs between a recorded body and the one that was sent.
pub(super) fn between(kept: &Value, sent: &Value, found: &mut Vec<String>) {
    at("", kept, sent, found);
    if found.len() > MOST {
        let more = found.len() - MOST;
        found.truncate(MOST);
        found.push(format!("and {more} more"));
    }
}

fn at(place: &str, kept: &Value, sent: &Value, found: &mut Vec<String>) {
    match (kept, sent) {
        (Value::Object(kept), Value::Object(sent)) => {
            for (name, value) in kept {
                pair(&format!("{place}/{name}"), Some(value), sent.get(name), found);
            }
            for (name, value) in sent.iter().filter(|(name, _)| !kept.contains_key(*name)) {
                pair(&format!("{place}/{name}"), None, Some(value), found);
            }
        }
        (Value::Array(kept), Value::Array(sent)) => {
            for index in 0..kept.len().max(sent.len()) {
                pair(&format!("{place}/{index}"), kept.get(index), sent.get(index), found);
            }
        }
        (kept, sent) if kept == sent => {}
        (kept, sent) => {
            let place = if place.is_empty() { "its body" } else { place };
            found.push(format!("{place} is recorded as {} and sent as {}", shown(kept), shown(sent)));
        }
    }
}

fn pair(place: &str, kept: Option<&Value>, sent: Option<&Value>, found: &mut Vec<String>) {
    match (kept, sent) {
        (Some(kept), Some(sent)) => at(place, kept, sent, found),
        (Some(kept), None) => found.push(format!("{place} is recorded as {} and not sent", shown(kept))),
        (None, Some(sent)) => found.push(format!("{place} is not recorded and sent as {}", shown(sent))),
        (None, None) => {}
    }
}

fn shown(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}..", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_difference_is_told_with_its_place() {
        let mut found = Vec::new();
        between(
            &json!({"model": "a", "messages": [{"content": "x"}], "seed": 1}),
            &json!({"model": "a", "messages": [{"content": "y"}, {}], "user": "u"}),
            &mut found,
        );
        let expected = [
            r#"/messages/0/content is recorded as "x" and sent as "y""#,
            "/messages/1 is not recorded and sent as {}",
            "/seed is recorded as 1 and not sent",
            r#"/user is not recorded and sent as "u""#,
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn many_differences_are_counted() {
        let mut found = Vec::new();
        between(&json!(vec![0; 20]), &json!(vec![1; 20]), &mut found);
        assert_eq!((found.len(), found.last().unwrap().as_str()), (MOST + 1, "and 12 more"));
    }
}
