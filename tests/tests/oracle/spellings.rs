//! Other texts of the same value, and the digest that all of them share.

use std::fmt::Write as _;

use agent_core::arguments::Validator;
use agent_core::schema::{Array, DefaultValue, Field, Kind, Object, Rules, Shape, Tagging};
use serde_json::{Map, Value};

use super::bytes::Bytes;
use super::values;

/// Reads values of a shape, each in several spellings: one value has one digest, two values have two.
pub(crate) fn check(bytes: &mut Bytes<'_>, shape: &'static Shape) {
    let validator = Validator::new(shape).unwrap();
    let mut seen = Vec::new();
    for _ in 0..super::VALUES {
        let value = values::value(bytes, shape);
        let text = value.to_string();
        let Ok(read) = validator.read(&text) else { continue };
        let this = (read.to_json(), read.digest());
        for _ in 0..3 {
            let other = spelled(bytes, &value, shape);
            let again = validator.read(&other).unwrap_or_else(|invalid| panic!("{text} as {other}: {invalid:?}"));
            assert_eq!((again.to_json(), again.digest()), this, "{text} as {other}");
        }
        for before in &seen {
            let (kept, digest) = before;
            assert_eq!(*kept == this.0, *digest == this.1, "{before:?} and {this:?}");
        }
        seen.push(this);
    }
}

/// Another text of a valid value.
fn spelled(bytes: &mut Bytes<'_>, value: &Value, shape: &'static Shape) -> String {
    match (&shape.kind, value) {
        (Kind::Nullable(inner), value) if !value.is_null() => spelled(bytes, value, inner.get()),
        (Kind::Array(array), Value::Array(items)) => list(bytes, items, array),
        (Kind::Object(object), Value::Object(entries)) => {
            let fields = fields(bytes, entries, object);
            written(bytes, fields)
        }
        (Kind::Union(union), Value::Object(entries)) => {
            let (tag, name, content) = match union.tagging {
                Tagging::Internal(tag) => (Some(tag), entries[tag].as_str().unwrap(), None),
                _ => entries.iter().next().map(|(name, content)| (None, name.as_str(), Some(content))).unwrap(),
            };
            let variant = union.variants.iter().find(|variant| variant.name == name).unwrap();
            let inner = variant.content.map(|link| link.get());
            let name = alias(bytes, name, variant.aliases);
            let entries = match (tag, inner) {
                (Some(tag), Some(Shape { kind: Kind::Object(object), .. })) => {
                    let mut all = fields(bytes, entries, object);
                    all.push((tag.to_owned(), string(bytes, name)));
                    all
                }
                (Some(tag), _) => vec![(tag.to_owned(), string(bytes, name))],
                (None, inner) => vec![(name.to_owned(), spelled(bytes, content.unwrap(), inner.unwrap()))],
            };
            written(bytes, entries)
        }
        (Kind::Union(union), Value::String(name)) => {
            let variant = union.variants.iter().find(|variant| variant.name == name).unwrap();
            let name = alias(bytes, name, variant.aliases);
            string(bytes, name)
        }
        (Kind::Enum(list), Value::String(name)) => {
            let value = list.values.iter().find(|value| value.name == name).unwrap();
            let name = alias(bytes, name, value.aliases);
            string(bytes, name)
        }
        (_, Value::Number(number)) => numeral(bytes, &number.to_string()),
        (_, Value::String(text)) => string(bytes, text),
        (_, value) => value.to_string(),
    }
}

/// The name, or another that is read as it.
fn alias<'n>(bytes: &mut Bytes<'_>, name: &'n str, aliases: &[&'n str]) -> &'n str {
    if !aliases.is_empty() && bytes.one_in(2) { bytes.pick(aliases) } else { name }
}

fn list(bytes: &mut Bytes<'_>, items: &[Value], array: &Array) -> String {
    let mut items: Vec<String> = items.iter().map(|item| spelled(bytes, item, array.item.get())).collect();
    if array.unique {
        shuffle(bytes, &mut items);
    }
    format!("[{}{}]", space(bytes), items.join(","))
}

/// The entries of an object, with optional ones there or not.
fn fields(bytes: &mut Bytes<'_>, entries: &Map<String, Value>, object: &'static Object) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for field in object.fields {
        if let (true, Kind::Object(inner)) = (field.flatten, &field.shape.get().kind) {
            all.extend(fields(bytes, entries, inner));
            continue;
        }
        let given = entries.get(field.name).filter(|value| !value.is_null());
        let default = default(field);
        let text = match given {
            Some(value) if default.as_ref() == Some(value) && bytes.one_in(2) => absent(bytes),
            Some(value) => Some(spelled(bytes, value, field.shape.get())),
            None => match default {
                Some(value) if bytes.one_in(2) => Some(spelled(bytes, &value, field.shape.get())),
                _ => absent(bytes),
            },
        };
        all.extend(text.map(|text| (alias(bytes, field.name, field.aliases).to_owned(), text)));
    }
    all
}

fn absent(bytes: &mut Bytes<'_>) -> Option<String> {
    bytes.one_in(2).then(|| "null".to_owned())
}

/// What stands in for a field, where it may be written out.
fn default(field: &Field) -> Option<Value> {
    let text = match field.default? {
        DefaultValue::Json(text) => text,
        // What the type or the rules refuse cannot be written.
        DefaultValue::Natural(_) if matches!(&field.shape.get().kind, Kind::Integer(integer) if !integer.zero) => {
            return None;
        }
        DefaultValue::Natural(text) if format!("{:?}", field.rules) == format!("{:?}", Rules::NONE) => text,
        _ => return None,
    };
    serde_json::from_str(text).ok()
}

fn written(bytes: &mut Bytes<'_>, mut entries: Vec<(String, String)>) -> String {
    shuffle(bytes, &mut entries);
    let entries: Vec<String> = entries
        .into_iter()
        .map(|(key, value)| format!("{}{}:{}{value}", space(bytes), string(bytes, &key), space(bytes)))
        .collect();
    format!("{{{}{}}}", entries.join(","), space(bytes))
}

fn shuffle<T>(bytes: &mut Bytes<'_>, items: &mut [T]) {
    for last in (1..items.len()).rev() {
        items.swap(last, bytes.below(last + 1));
    }
}

fn space(bytes: &mut Bytes<'_>) -> &'static str {
    bytes.pick(&["", " ", "\n\t", "\r\n"])
}

fn string(bytes: &mut Bytes<'_>, text: &str) -> String {
    let mut out = String::from('"');
    for letter in text.chars() {
        if bytes.one_in(3) {
            letter.encode_utf16(&mut [0; 2]).iter().for_each(|unit| write!(out, "\\u{unit:04X}").unwrap());
        } else if letter == '/' && bytes.one_in(2) {
            out.push_str("\\/");
        } else {
            out.push_str(serde_json::to_string(&letter).unwrap().trim_matches('"'));
        }
    }
    out.push('"');
    out
}

/// Another text of a number: zeros at its end, an exponent, the point elsewhere.
fn numeral(bytes: &mut Bytes<'_>, text: &str) -> String {
    // An integer beyond 2^53 that is written as a float is refused, as it may stand for another.
    if text.contains(['e', 'E']) || text.trim_start_matches('-').len() > 15 && !text.contains('.') {
        return text.to_owned();
    }
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let sign = if whole.starts_with('-') { "-" } else { "" };
    // All digits, which JSON does not let begin with zeros.
    let digits = format!("{whole}{fraction}");
    let digits = digits.trim_start_matches(['-', '0']);
    let digits = if digits.is_empty() { "0" } else { digits };
    match bytes.below(6) {
        0 => format!("{whole}.{fraction}00000000000000000000"),
        1 => format!("{whole}.{fraction}0e0"),
        2 => format!("{whole}.{fraction}0E+00"),
        3 => format!("{sign}{digits}e-{}", fraction.len()),
        4 => format!("{sign}0.{digits}e{}", digits.len() as i64 - fraction.len() as i64),
        _ => text.to_owned(),
    }
}
