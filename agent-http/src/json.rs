//! JSON as servers send it: with white space around it, a byte-order mark before it, doubled keys, and halves of surrogate pairs.

use std::borrow::Cow;
use std::cell::OnceCell;

use serde::de::{Deserialize, DeserializeOwned};
use serde_json::Value;

/// What some servers put before a body, to say that it is UTF-8.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// The JSON without a byte-order mark before it.
pub(crate) fn unmarked(bytes: &[u8]) -> &[u8] {
    bytes.trim_ascii_start().strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes)
}

/// Reads JSON; what a strict reader refuses but has one plain meaning is taken.
///
/// ```
/// let read: String = agent_http::json::read(br#" "half \ud83d" "#)?;
/// assert_eq!(read, "half \u{fffd}");
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// # Errors
///
/// That of the strict reader.
pub fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, serde_json::Error> {
    borrowed(bytes, &Repaired::default())
}

/// The same for what borrows from the JSON; where that had to be repaired, `repaired` keeps it.
///
/// ```
/// use agent_http::json::{Repaired, borrowed};
///
/// let repaired = Repaired::default();
/// let read: Vec<&str> = borrowed(br#"["as it is"]"#, &repaired)?;
/// assert_eq!(read, ["as it is"]);
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// # Errors
///
/// That of the strict reader.
pub fn borrowed<'a, T: Deserialize<'a>>(bytes: &'a [u8], repaired: &'a Repaired) -> Result<T, serde_json::Error> {
    let bytes = unmarked(bytes);
    // Looked at once, and not for each string in it.
    let read = match std::str::from_utf8(bytes) {
        Ok(text) => serde_json::from_str(text),
        Err(_) => serde_json::from_slice(bytes),
    };
    let error: serde_json::Error = match read {
        Ok(read) => return Ok(read),
        Err(error) => error,
    };
    // A syntax error stays one, unless half a surrogate pair was the cause. Doubled keys are a data error: in a tree
    // the last one counts, as in most other clients.
    let whole = match whole_escapes(bytes) {
        Cow::Borrowed(_) if !error.is_data() => return Err(error),
        Cow::Borrowed(bytes) => bytes,
        Cow::Owned(whole) => {
            let whole = repaired.escapes.get_or_init(|| whole);
            if let Ok(read) = serde_json::from_slice(whole) {
                return Ok(read);
            }
            whole
        }
    };
    let tree = serde_json::from_slice::<Value>(whole)?;
    serde_json::from_str(repaired.tree.get_or_init(|| tree.to_string()))
}

/// JSON that was repaired, for what was read to borrow from.
#[derive(Debug, Default)]
pub struct Repaired {
    escapes: OnceCell<Vec<u8>>,
    tree: OnceCell<String>,
}

/// The text that a JSON string stands for; none for any other value. Half a surrogate pair is U+FFFD.
///
/// ```
/// assert_eq!(agent_http::json::text(r#""a\tb""#).as_deref(), Some("a\tb"));
/// assert_eq!(agent_http::json::text("7"), None);
/// ```
pub fn text(written: &str) -> Option<Cow<'_, str>> {
    let inside = written.strip_prefix('"')?.strip_suffix('"')?;
    match inside.find('\\') {
        None => Some(Cow::Borrowed(inside)),
        Some(_) => read(written.as_bytes()).ok().map(Cow::Owned),
    }
}

/// The text with each escape that is half a surrogate pair replaced by U+FFFD.
fn whole_escapes(bytes: &[u8]) -> Cow<'_, [u8]> {
    let mut out = Cow::Borrowed(bytes);
    let mut at = 0;
    while let Some(found) = bytes[at..].iter().position(|byte| *byte == b'\\') {
        at += found;
        at += match unit(&bytes[at..]) {
            Some(0xD800..=0xDBFF) if matches!(unit(&bytes[at + 6..]), Some(0xDC00..=0xDFFF)) => 12,
            Some(0xD800..=0xDFFF) => {
                out.to_mut()[at + 2..at + 6].copy_from_slice(b"fffd");
                6
            }
            Some(_) => 6,
            None => 2.min(bytes.len() - at),
        };
    }
    out
}

/// The UTF-16 unit of a `\uXXXX` at the front.
fn unit(bytes: &[u8]) -> Option<u16> {
    let digits = bytes.strip_prefix(b"\\u")?.get(..4)?;
    u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

/// Whether nothing is said: null, `""`, `[]`, `{}`, or a container of only such.
///
/// ```
/// assert!(agent_http::json::is_hollow(&serde_json::json!({"a": [null, ""]})));
/// ```
pub fn is_hollow(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.iter().all(is_hollow),
        Value::Object(fields) => fields.values().all(is_hollow),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

/// The same of a value as it is written. What cannot be read says something.
pub(crate) fn is_hollow_text(written: &str) -> bool {
    match written.as_bytes().first() {
        // The first byte tells of most that something is said.
        Some(b'n' | b'"' | b'[' | b'{') => {
            written == "null" || read(written.as_bytes()).is_ok_and(|value| is_hollow(&value))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_surrogate_pair_becomes_the_replacement_character() {
        let read: String = read(br#""a\ud83d b\ude00 c\ud83d\ude00 d\\ud83d""#).unwrap();
        assert_eq!(read, "a\u{fffd} b\u{fffd} c\u{1f600} d\\ud83d");
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_the_json() {
        assert_eq!(read::<u8>(b"\xEF\xBB\xBF 7").unwrap(), 7);
        assert_eq!(read::<u8>(b"\n\xEF\xBB\xBF7").unwrap(), 7);
    }

    #[test]
    fn an_escape_at_the_very_end_is_an_error_and_no_panic() {
        for text in [&b"\"\\"[..], b"\"\\u", b"\"\\ud83d", b"\"\\ud83d\\", b"\"\\ud83d\\u12"] {
            assert!(read::<String>(text).is_err());
        }
    }
}
