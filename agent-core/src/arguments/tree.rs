//! JSON as a tree that borrows from its text and keeps what a map would lose.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

/// A JSON value. Objects keep order and doubled keys, integers keep every digit.
///
/// Its `Display` is compact JSON text.
#[derive(Debug, Clone, PartialEq)]
pub enum Tree<'a> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A whole number within `i64`.
    Int(i64),
    /// A whole number beyond `i64` and within `u64`.
    Uint(u64),
    /// Any other number; finite. Its shortest text is, by value, the text that was read.
    Float(f64),
    /// A number with more digits than the float nearest to it tells.
    Digits {
        /// As it is written.
        text: Cow<'a, str>,
        /// The float nearest to it; finite.
        near: f64,
    },
    /// A number of seconds that was read as a time span. Text is never parsed to it.
    Seconds(Duration),
    /// A string.
    Str(Cow<'a, str>),
    /// A list.
    Array(Vec<Tree<'a>>),
    /// An object, as written until it is normalised; then in the order of its shape.
    Object(Vec<(Cow<'a, str>, Tree<'a>)>),
}

impl Tree<'_> {
    /// The same value, independent of the text that it was read from.
    pub fn into_owned(self) -> Tree<'static> {
        match self {
            Tree::Null => Tree::Null,
            Tree::Bool(value) => Tree::Bool(value),
            Tree::Int(value) => Tree::Int(value),
            Tree::Uint(value) => Tree::Uint(value),
            Tree::Float(value) => Tree::Float(value),
            Tree::Digits { text, near } => Tree::Digits { text: Cow::Owned(text.into_owned()), near },
            Tree::Seconds(span) => Tree::Seconds(span),
            Tree::Str(text) => Tree::Str(Cow::Owned(text.into_owned())),
            Tree::Array(items) => Tree::Array(items.into_iter().map(Tree::into_owned).collect()),
            Tree::Object(entries) => Tree::Object(
                entries.into_iter().map(|(key, value)| (Cow::Owned(key.into_owned()), value.into_owned())).collect(),
            ),
        }
    }
}

/// Why a value has no one form.
pub(crate) enum Unclear {
    /// A key that comes twice.
    Doubled(String),
    /// A number that its float has rounded to a whole one.
    Rounded(String),
}

impl<'a> Tree<'a> {
    /// The same value with each object's keys in order and whole floats as integers: one form of what JSON Schema takes
    /// for the same. The error is the first part of it that has none.
    pub(crate) fn sorted(self) -> Result<Self, Unclear> {
        // Beyond 2^53 a float is not known to be the integer that was meant.
        const EXACT: f64 = 9_007_199_254_740_992.0;
        Ok(match self {
            Self::Float(value) if value.fract() == 0.0 && value.abs() <= EXACT => Self::Int(value as i64),
            // Two such numbers of different text would be one value, and one call.
            Self::Digits { text, near } if near.fract() == 0.0 => return Err(Unclear::Rounded(text.into_owned())),
            Self::Array(items) => Self::Array(items.into_iter().map(Self::sorted).collect::<Result<_, _>>()?),
            Self::Object(mut entries) => {
                entries.sort_by(|(a, _), (b, _)| a.cmp(b));
                if let Some(pair) = entries.windows(2).find(|pair| pair[0].0 == pair[1].0) {
                    return Err(Unclear::Doubled(pair[0].0.to_string()));
                }
                let entries = entries.into_iter().map(|(key, value)| Ok((key, value.sorted()?)));
                Self::Object(entries.collect::<Result<_, _>>()?)
            }
            other => other,
        })
    }

    /// The same value as serde_json has it.
    pub(crate) fn to_value(&self) -> serde_json::Value {
        use serde_json::Value;
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(*value),
            Self::Int(value) => (*value).into(),
            Self::Uint(value) => (*value).into(),
            Self::Float(value) | Self::Digits { near: value, .. } => (*value).into(),
            Self::Seconds(span) if span.subsec_nanos() == 0 => span.as_secs().into(),
            Self::Seconds(span) => span.as_secs_f64().into(),
            Self::Str(text) => Value::String(text.to_string()),
            Self::Array(items) => items.iter().map(Self::to_value).collect(),
            Self::Object(entries) => entries
                .iter()
                .map(|(key, value)| (key.to_string(), value.to_value()))
                .collect::<serde_json::Map<_, _>>()
                .into(),
        }
    }
}

impl fmt::Display for Tree<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => value.fmt(f),
            Self::Int(value) => value.fmt(f),
            Self::Uint(value) => value.fmt(f),
            // `Debug` of a finite float is JSON, and the shortest text that gives the number back.
            Self::Float(value) => write!(f, "{value:?}"),
            Self::Digits { text, .. } => f.write_str(text),
            Self::Seconds(span) => write_seconds(f, *span),
            Self::Str(text) => write_string(f, text),
            Self::Array(items) => {
                f.write_str("[")?;
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        f.write_str(",")?;
                    }
                    item.fmt(f)?;
                }
                f.write_str("]")
            }
            Self::Object(entries) => {
                f.write_str("{")?;
                for (index, (key, value)) in entries.iter().enumerate() {
                    if index > 0 {
                        f.write_str(",")?;
                    }
                    write_string(f, key)?;
                    f.write_str(":")?;
                    value.fmt(f)?;
                }
                f.write_str("}")
            }
        }
    }
}

/// Writes a time span as a number of seconds, with all its digits and no more.
fn write_seconds(f: &mut impl fmt::Write, span: Duration) -> fmt::Result {
    write!(f, "{}", span.as_secs())?;
    match span.subsec_nanos() {
        0 => Ok(()),
        nanos => write!(f, ".{}", format!("{nanos:09}").trim_end_matches('0')),
    }
}

/// Writes `text` as a JSON string.
pub(crate) fn write_string(f: &mut impl fmt::Write, text: &str) -> fmt::Result {
    // Escapes are serde_json's business; writing a string cannot fail there.
    f.write_str(&serde_json::to_string(text).map_err(|_| fmt::Error)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_is_shown_as_json() {
        let tree = Tree::Object(vec![
            ("a\"\n".into(), Tree::Array(vec![Tree::Null, Tree::Bool(true), Tree::Int(-1), Tree::Uint(u64::MAX)])),
            ("b".into(), Tree::Array(vec![Tree::Float(1500.0), Tree::Float(1e-7), Tree::Float(1e300)])),
        ]);
        assert_eq!(tree.to_string(), r#"{"a\"\n":[null,true,-1,18446744073709551615],"b":[1500.0,1e-7,1e300]}"#);
    }

    #[test]
    fn a_time_span_is_shown_as_its_seconds() {
        for (seconds, nanos, text) in [(0, 0, "0"), (90, 0, "90"), (1, 500_000_000, "1.5"), (0, 1, "0.000000001")] {
            assert_eq!(Tree::Seconds(Duration::new(seconds, nanos)).to_string(), text);
        }
        assert_eq!(Tree::Seconds(Duration::MAX).to_string(), "18446744073709551615.999999999");
    }
}
