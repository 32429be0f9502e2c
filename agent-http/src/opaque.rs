//! Fields that mean something to their server alone, kept in its own bytes.
//!
//! A tree of values would not do: it rounds numbers beyond 64 bits, writes `1.10` as `1.1` and orders fields anew, and
//! a signature over them is then no longer theirs.
//!
//! ```
//! use agent_http::opaque::Fields;
//!
//! let fields: Fields = serde_json::from_str(r#"{"z": {"b":1.10,"a":18446744073709551616}, "a": null}"#)?;
//! let kept = fields.kept();
//! let sent = Fields::sent(&kept).unwrap();
//! assert_eq!(serde_json::to_string(&sent)?, r#"{"z":{"b":1.10,"a":18446744073709551616},"a":null}"#);
//! # Ok::<(), serde_json::Error>(())
//! ```

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::json::{self, is_hollow};

/// A value that means something to its server alone.
#[derive(Debug, Clone)]
pub enum Opaque {
    /// As it came.
    Raw(Box<RawValue>),
    /// Text that came in pieces, as it was written between its quotes: read, `\u00e9` would be other bytes, and half a
    /// surrogate pair at the end of a piece nothing at all.
    Text(String),
    /// A list that came in pieces.
    List(Vec<Opaque>),
    /// An object that came in pieces.
    Fields(Fields),
}

/// The fields of an object in their order, each value as it came. Of a name that stands twice the last value counts.
#[derive(Debug, Clone, Default)]
pub struct Fields(Vec<(String, Opaque)>);

impl Opaque {
    /// A value that is written here and not by a server.
    pub fn of(value: &Value) -> Self {
        // A tree can always be written.
        serde_json::value::to_raw_value(value).map_or_else(|_| Self::Text(String::new()), Self::Raw)
    }

    /// The value as a tree, if it fits into one.
    pub fn value(&self) -> Option<Value> {
        match self {
            Self::Raw(raw) => json::read(raw.get().as_bytes()).ok(),
            Self::Text(text) => json::read(quoted(text).as_bytes()).ok(),
            Self::List(_) | Self::Fields(_) => serde_json::from_str(&serde_json::to_string(self).ok()?).ok(),
        }
    }

    /// The text, if it is one.
    pub fn into_text(mut self) -> Option<String> {
        self.open();
        if let Self::Text(text) = self { json::read(quoted(&text).as_bytes()).ok() } else { None }
    }

    /// Takes it apart by one level, so that pieces can be added.
    pub fn open(&mut self) {
        let Self::Raw(raw) = self else { return };
        let text = raw.get();
        let opened = match text.as_bytes().first() {
            Some(b'"') => {
                let written = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
                written.map(|written| Self::Text(written.to_owned()))
            }
            Some(b'[') => {
                let items = serde_json::from_str::<Vec<Box<RawValue>>>(text).ok();
                items.map(|items| Self::List(items.into_iter().map(Self::Raw).collect()))
            }
            Some(b'{') => serde_json::from_str(text).ok().map(Self::Fields),
            _ => None,
        };
        // What cannot be read stays as it came.
        if let Some(opened) = opened {
            *self = opened;
        }
    }

    /// Whether it is null.
    pub fn is_null(&self) -> bool {
        matches!(self, Self::Raw(raw) if raw.get() == "null")
    }

    /// Whether nothing is said in it, as [`is_hollow`] has it.
    pub fn is_hollow(&self) -> bool {
        match self {
            Self::Raw(raw) => json::is_hollow_text(raw.get()),
            value => value.value().as_ref().is_some_and(is_hollow),
        }
    }

    /// Whether both are written alike.
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Raw(one), Self::Raw(other)) => one.get() == other.get(),
            (one, other) => serde_json::to_string(one).ok() == serde_json::to_string(other).ok(),
        }
    }
}

/// A text that is written already.
fn quoted(written: &str) -> String {
    format!("\"{written}\"")
}

impl Fields {
    /// The value of a field.
    pub fn get(&self, name: &str) -> Option<&Opaque> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// The value of a field, to be changed.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut Opaque> {
        self.0.iter_mut().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// Sets a field, at its place if it is known.
    pub fn insert(&mut self, name: String, value: Opaque) {
        match self.get_mut(&name) {
            Some(known) => *known = value,
            None => self.0.push((name, value)),
        }
    }

    /// Takes a field out.
    pub fn remove(&mut self, name: &str) -> Option<Opaque> {
        let at = self.0.iter().position(|(known, _)| known == name)?;
        Some(self.0.remove(at).1)
    }

    /// Keeps the fields for which this holds.
    pub fn retain(&mut self, mut keep: impl FnMut(&str, &Opaque) -> bool) {
        self.0.retain(|(name, value)| keep(name, value));
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The fields, in their order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Opaque)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// As they are kept with a message: a tree where that writes the same bytes, else their text.
    pub fn kept(&self) -> Value {
        // Names, texts and values that were JSON: nothing in it can fail.
        let text = serde_json::to_string(self).unwrap_or_default();
        match serde_json::from_str::<Value>(&text) {
            // One deeper could not be read again where a run is saved with it.
            Ok(tree) if !is_deep(&tree, 64) && serde_json::to_string(&tree).is_ok_and(|written| written == text) => {
                tree
            }
            _ => Value::String(text),
        }
    }

    /// The fields as they were [kept](Self::kept).
    pub fn sent(kept: &Value) -> Option<Self> {
        match kept {
            Value::Object(fields) => {
                Some(Self(fields.iter().map(|(name, value)| (name.clone(), Opaque::of(value))).collect()))
            }
            Value::String(text) => serde_json::from_str(text).ok(),
            _ => None,
        }
    }
}

impl IntoIterator for Fields {
    type Item = (String, Opaque);
    type IntoIter = std::vec::IntoIter<(String, Opaque)>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl PartialEq for Fields {
    fn eq(&self, other: &Self) -> bool {
        serde_json::to_string(self).ok() == serde_json::to_string(other).ok()
    }
}

impl Serialize for Opaque {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Raw(raw) => raw.serialize(to),
            Self::Text(text) => RawValue::from_string(quoted(text)).map_err(serde::ser::Error::custom)?.serialize(to),
            Self::List(items) => items.serialize(to),
            Self::Fields(fields) => fields.serialize(to),
        }
    }
}

impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Opaque {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(from).map(Self::Raw)
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Fields;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
        let mut fields = Vec::new();
        while let Some((name, value)) = map.next_entry::<String, Opaque>()? {
            fields.push((name, value));
        }
        Ok(fields.into_iter().collect())
    }
}

/// Of a name that stands twice the last value counts.
impl FromIterator<(String, Opaque)> for Fields {
    fn from_iter<I: IntoIterator<Item = (String, Opaque)>>(fields: I) -> Self {
        Self(last_of_each(fields.into_iter().collect()))
    }
}

/// The fields with one value for each name. Sorted rather than searched for each, since a server may send any number.
fn last_of_each(mut fields: Vec<(String, Opaque)>) -> Vec<(String, Opaque)> {
    if fields.len() < 2 {
        return fields;
    }
    let mut order: Vec<usize> = (0..fields.len()).collect();
    order.sort_by(|one, other| fields[*one].0.cmp(&fields[*other].0).then(one.cmp(other)));
    let doubled: Vec<usize> =
        order.windows(2).filter(|pair| fields[pair[0]].0 == fields[pair[1]].0).map(|pair| pair[0]).collect();
    if !doubled.is_empty() {
        let doubled: std::collections::HashSet<usize> = doubled.into_iter().collect();
        let mut at = 0;
        fields.retain(|_| {
            at += 1;
            !doubled.contains(&(at - 1))
        });
    }
    fields
}

/// Whether a value is nested deeper than so many levels.
fn is_deep(value: &Value, levels: usize) -> bool {
    match (value, levels.checked_sub(1)) {
        (Value::Array(_) | Value::Object(_), None) => true,
        (Value::Array(items), Some(left)) => items.iter().any(|item| is_deep(item, left)),
        (Value::Object(fields), Some(left)) => fields.values().any(|field| is_deep(field, left)),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_kept_and_sent_byte_for_byte() {
        for text in [
            r#"{"a":1,"b":"x"}"#,
            r#"{"b":1,"a":1.10}"#,
            r#"{"n":123456789012345678901234567890,"m":-0.0,"e":1E5,"f":1e400}"#,
            r#"{"s":"\u00e9\/\ud83d","t":"\u0041"}"#,
            r#"{"o":{"z":[1, 2],"a":{}}}"#,
            "{}",
        ] {
            let fields: Fields = serde_json::from_str(text).unwrap();
            let kept = serde_json::to_string(&fields.kept()).unwrap();
            let sent = Fields::sent(&serde_json::from_str(&kept).unwrap()).unwrap();
            assert_eq!(serde_json::to_string(&sent).unwrap(), text);
        }
    }

    #[test]
    fn what_a_tree_writes_alike_is_kept_as_a_tree() {
        let fields: Fields = serde_json::from_str(r#"{"a": "x", "b": [1, null]}"#).unwrap();
        assert!(matches!(fields.kept(), Value::String(_)), "the space in the list would be lost");
        let fields: Fields = serde_json::from_str(r#"{"a": "x", "b": [1,null]}"#).unwrap();
        assert_eq!(fields.kept(), serde_json::json!({"a": "x", "b": [1, null]}));
    }

    #[test]
    fn what_is_nested_deeply_is_kept_as_text_and_can_be_read_again() {
        let text = format!("{{\"a\":{}1{}}}", "[".repeat(120), "]".repeat(120));
        let fields: Fields = serde_json::from_str(&text).unwrap();
        assert_eq!(fields.kept(), Value::String(text.clone()));
        assert_eq!(serde_json::to_string(&Fields::sent(&fields.kept()).unwrap()).unwrap(), text);
    }

    #[test]
    fn of_a_doubled_name_the_last_value_counts() {
        let fields: Fields = serde_json::from_str(r#"{"a":1,"b":2,"a":3,"a":4}"#).unwrap();
        assert_eq!(serde_json::to_string(&fields).unwrap(), r#"{"b":2,"a":4}"#);
    }

    #[test]
    fn nesting_without_end_is_kept_and_no_panic() {
        let text = format!("{{\"a\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
        let fields: Fields = serde_json::from_str(&text).unwrap();
        assert!(!fields.get("a").unwrap().is_hollow());
        assert_eq!(fields.kept(), Value::String(text));
    }
}
