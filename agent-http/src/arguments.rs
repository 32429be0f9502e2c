//! The arguments of a call, which servers write as text, as an object, or as text of text.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;

use crate::json;

/// How often text is taken out of text; seen in the wild once, never three times.
const WRAPPINGS: usize = 3;

/// The text of the arguments: JSON where it can be made out, else what the model wrote.
///
/// ```
/// assert_eq!(agent_http::arguments::text(" null".to_owned()), "{}");
/// assert_eq!(agent_http::arguments::text(r#"{"a": 1}"#.to_owned()), r#"{"a": 1}"#);
/// ```
pub fn text(written: String) -> String {
    let mut text = written;
    for _ in 0..WRAPPINGS {
        match text.trim_start().as_bytes().first() {
            None => return "{}".to_owned(),
            Some(b'n') if text.trim() == "null" => return "{}".to_owned(),
            Some(b'"') => match unwrapped(&text) {
                Some(inner) => text = inner,
                None => return text,
            },
            Some(_) => return text,
        }
    }
    text
}

/// The text inside a JSON string, if an object or nothing is in it.
fn unwrapped(text: &str) -> Option<String> {
    let inner: String = serde_json::from_str(text).ok()?;
    match inner.trim_start().as_bytes().first() {
        Some(b'{') => Object::deserialize(&mut serde_json::Deserializer::from_str(&inner)).is_ok().then_some(inner),
        None | Some(b'"') => Some(inner),
        Some(b'n') if inner.trim() == "null" => Some(inner),
        Some(_) => None,
    }
}

/// Any object, read and forgotten.
type Object = std::collections::HashMap<String, IgnoredAny>;

/// What a server put in place of the text, as a piece of it.
///
/// ```
/// assert_eq!(agent_http::arguments::piece(r#"{"a": 1}"#).as_deref(), Some(r#"{"a":1}"#));
/// ```
pub fn piece(written: &str) -> Option<Cow<'_, str>> {
    match written.as_bytes().first() {
        Some(b'"') => json::text(written),
        Some(b'n') => None,
        // What cannot be read stays as it is, for whoever checks the arguments to refuse.
        _ => Some(
            json::read::<Value>(written.as_bytes()).map_or(Cow::Borrowed(written), |value| value.to_string().into()),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_its_many_spellings_is_an_empty_object() {
        for nothing in ["", " \n", "null", " null ", r#""""#, r#""null""#] {
            assert_eq!(text(nothing.to_owned()), "{}", "{nothing:?}");
        }
    }

    #[test]
    fn an_object_inside_a_string_is_taken_out() {
        assert_eq!(text(r#""{\"a\": 1}""#.to_owned()), r#"{"a": 1}"#);
        assert_eq!(text(r#""\"{\\\"a\\\": 1}\"""#.to_owned()), r#"{"a": 1}"#);
    }

    #[test]
    fn what_is_no_object_stays_as_the_model_wrote_it() {
        for raw in [r#"{"path": "C:\Users"}"#, r#"{"a": "#, r#""just text""#, r#""{broken""#, "[1]", "7"] {
            assert_eq!(text(raw.to_owned()), raw);
        }
    }
}
