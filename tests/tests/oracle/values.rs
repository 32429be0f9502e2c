//! Values for a shape, most of them valid and some of them not.

use agent_core::schema::profile::Optional;
use agent_core::schema::{DefaultValue, Field, Kind, Number, Object, Profile, Shape, Tagging};
use serde_json::{Map, Value, json};

use super::bytes::Bytes;

const STRINGS: [&str; 24] = [
    "a",
    "b",
    "abc",
    "",
    "é",
    "ab\n",
    "\n",
    "\r",
    "\u{2028}",
    "😀",
    ".",
    "2026-03-31",
    "2026-02-30",
    "09:30:00Z",
    "2026-03-31T09:30:00+01:00",
    "P1DT2H",
    "PT",
    "127.0.0.1",
    "::1",
    "123e4567-e89b-12d3-a456-426614174000",
    "ada@example.org",
    "example.org",
    "https://example.org/a?b#c",
    "one",
];

pub(crate) fn value(bytes: &mut Bytes<'_>, shape: &'static Shape) -> Value {
    match &shape.kind {
        Kind::Object(object) => Value::Object(fields(bytes, object)),
        _ => of(bytes, shape),
    }
}

fn of(bytes: &mut Bytes<'_>, shape: &'static Shape) -> Value {
    if bytes.one_in(24) {
        let any = anything(bytes);
        // Text against a grammar that only words tell is outside the comparison.
        let beyond = any.is_string() && matches!(&present(shape).kind, Kind::Text(text) if text.words.is_some());
        return if beyond { Value::Null } else { any };
    }
    match &shape.kind {
        Kind::Bool => json!(bytes.one_in(2)),
        Kind::Integer(_) => bytes.pick(&[0i64, 1, 7, 10, 30, -3, 255, 256, i64::MAX, 9_007_199_254_740_993]).into(),
        Kind::Number(Number::Decimal) => bytes.pick(&[0.0, 0.1, 7.25, 1.5, 100.0, -0.5, 1500.10, 1e-7, 2.0]).into(),
        // What a 32-bit float holds exactly: it is rounded before it is asked about.
        Kind::Number(Number::F32) => bytes.pick(&[0.0, 7.25, 1.5, 100.0, -0.5, 2.0, 1e10]).into(),
        Kind::Number(_) => bytes.pick(&[0.0, 0.1, 7.25, 1.5, 100.0, -0.5, 1500.10, 1e10, 2.0]).into(),
        Kind::Text(text) if text.words.is_some_and(|words| words.contains("a port")) => {
            bytes.pick(&["127.0.0.1:80", "[::1]:443"]).into()
        }
        Kind::Text(text) if text.words.is_some_and(|words| words.contains("time of day")) => {
            bytes.pick(&["09:30:00", "23:59:59.25"]).into()
        }
        Kind::Text(text) if text.words.is_some() => bytes.pick(&["127.0.0.1", "::1", "2001:db8::1"]).into(),
        Kind::Text(text) if text.reads.is_some() => match text.format {
            Some("date-time") => bytes.pick(&["2026-03-31T09:30:00Z", "2026-03-31t10:30:00.50+01:00", "2026-03-31"]),
            Some("uri") => bytes.pick(&["https://example.org/a", "HTTP://EXAMPLE.org:80/é", "/a", "mailto:a@b.c"]),
            Some("uuid") => bytes.pick(&["123e4567-e89b-12d3-a456-426614174000", "123E4567E89B12D3A456426614174000"]),
            _ => bytes.pick(&["127.0.0.1", "10.0.0.255", "10.0.0.256", "x"]),
        }
        .into(),
        Kind::Text(_) => bytes.pick(&STRINGS).into(),
        Kind::Enum(list) => match bytes.below(list.values.len() * 4) {
            0 => "ONE".into(),
            at => list.values[at % list.values.len()].name.into(),
        },
        Kind::Array(array) => (0..bytes.below(4)).map(|_| of(bytes, array.item.get())).collect(),
        Kind::Nullable(_) if bytes.below(3) == 0 => Value::Null,
        Kind::Nullable(inner) => of(bytes, inner.get()),
        Kind::Object(object) => Value::Object(fields(bytes, object)),
        Kind::Union(union) => {
            let variant = &union.variants[bytes.below(union.variants.len())];
            match (union.tagging, variant.content) {
                (Tagging::External, None) => variant.name.into(),
                (Tagging::External, Some(content)) => json!({variant.name: of(bytes, content.get())}),
                (Tagging::Internal(tag), content) => {
                    let mut entries = match content.map(|content| &content.get().kind) {
                        Some(Kind::Object(object)) => fields(bytes, object),
                        _ => Map::new(),
                    };
                    entries.insert(tag.to_owned(), variant.name.into());
                    Value::Object(entries)
                }
                other => unreachable!("{other:?}"),
            }
        }
        other => unreachable!("{other:?}"),
    }
}

/// The shape of what is not null.
fn present(shape: &'static Shape) -> &'static Shape {
    match &shape.kind {
        Kind::Nullable(inner) => present(inner.get()),
        _ => shape,
    }
}

fn anything(bytes: &mut Bytes<'_>) -> Value {
    match bytes.below(9) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(3),
        3 => json!(3.0),
        4 => json!(-2.5),
        5 => json!("text"),
        6 => json!([]),
        7 => json!({}),
        _ => json!(5_000_000_000_000_u64),
    }
}

fn fields(bytes: &mut Bytes<'_>, object: &'static Object) -> Map<String, Value> {
    let mut entries = Map::new();
    for field in object.fields {
        match inlined(field) {
            Some(inner) => entries.extend(fields(bytes, inner)),
            None if bytes.one_in(if is_optional(field) { 3 } else { 24 }) => {}
            None => {
                entries.insert(field.name.to_owned(), of(bytes, field.shape.get()));
            }
        }
    }
    if bytes.one_in(24) {
        entries.insert("unknown".to_owned(), anything(bytes));
    }
    entries
}

fn inlined(field: &Field) -> Option<&'static Object> {
    match &field.shape.get().kind {
        Kind::Object(inner) if field.flatten => Some(inner),
        _ => None,
    }
}

fn is_optional(field: &Field) -> bool {
    field.default.is_some() || matches!(field.shape.get().kind, Kind::Nullable(_))
}

/// A valid value in the form that a profile asks for: optional fields null, or absent.
pub(crate) fn as_sent(value: &Value, shape: &'static Shape, profile: &Profile) -> Value {
    match (&shape.kind, value) {
        (Kind::Nullable(inner), value) if !value.is_null() => as_sent(value, inner.get(), profile),
        (Kind::Array(array), Value::Array(items)) => {
            items.iter().map(|item| as_sent(item, array.item.get(), profile)).collect()
        }
        (Kind::Object(object), Value::Object(entries)) => Value::Object(fields_as_sent(entries, object, profile)),
        (Kind::Union(union), Value::Object(entries)) => {
            let (name, content) = match union.tagging {
                Tagging::Internal(tag) => (entries[tag].as_str().unwrap(), None),
                _ => entries.iter().next().map(|(name, content)| (name.as_str(), Some(content))).unwrap(),
            };
            let variant = union.variants.iter().find(|variant| variant.name == name).unwrap();
            match (union.tagging, variant.content.map(|link| link.get())) {
                (Tagging::Internal(tag), Some(Shape { kind: Kind::Object(object), .. })) => {
                    let mut sent = fields_as_sent(entries, object, profile);
                    sent.insert(tag.to_owned(), name.into());
                    Value::Object(sent)
                }
                (Tagging::External, Some(shape)) => json!({name: as_sent(content.unwrap(), shape, profile)}),
                _ => value.clone(),
            }
        }
        _ => value.clone(),
    }
}

fn fields_as_sent(entries: &Map<String, Value>, object: &'static Object, profile: &Profile) -> Map<String, Value> {
    let mut sent = Map::new();
    for field in object.fields {
        match (inlined(field), entries.get(field.name)) {
            (Some(inner), _) => sent.extend(fields_as_sent(entries, inner, profile)),
            (None, None | Some(Value::Null)) => {
                if profile.optional == Optional::Nullable {
                    sent.insert(field.name.to_owned(), Value::Null);
                }
            }
            (None, Some(value)) => {
                sent.insert(field.name.to_owned(), as_sent(value, field.shape.get(), profile));
            }
        }
    }
    sent
}

/// A value with its defaults filled in and without the nulls of optional fields: the form in which items of a set are
/// compared. What does not fit its shape stays as it is.
pub(crate) fn filled(value: &Value, shape: &'static Shape) -> Value {
    match (&shape.kind, value) {
        (Kind::Nullable(inner), value) => filled(value, inner.get()),
        (Kind::Array(array), Value::Array(items)) => items.iter().map(|item| filled(item, array.item.get())).collect(),
        (Kind::Object(object), Value::Object(entries)) => Value::Object(fields_filled(entries.clone(), object)),
        (Kind::Union(union), Value::Object(entries)) => {
            let variant = union.variants.iter().find(|variant| match union.tagging {
                Tagging::Internal(tag) => entries.get(tag) == Some(&variant.name.into()),
                _ => entries.contains_key(variant.name),
            });
            match (union.tagging, variant.and_then(|variant| Some((variant.name, variant.content?.get())))) {
                (Tagging::Internal(_), Some((_, Shape { kind: Kind::Object(object), .. }))) => {
                    Value::Object(fields_filled(entries.clone(), object))
                }
                (Tagging::External, Some((name, shape))) => json!({name: filled(&entries[name], shape)}),
                _ => value.clone(),
            }
        }
        _ => value.clone(),
    }
}

fn fields_filled(mut entries: Map<String, Value>, object: &'static Object) -> Map<String, Value> {
    for field in object.fields {
        if let Some(inner) = inlined(field) {
            entries = fields_filled(entries, inner);
            continue;
        }
        let default = match field.default {
            Some(DefaultValue::Json(text) | DefaultValue::Natural(text)) => serde_json::from_str(text).ok(),
            _ => None,
        };
        match (entries.get(field.name), default) {
            (None | Some(Value::Null), Some(default)) => {
                entries.insert(field.name.to_owned(), default);
            }
            (Some(Value::Null), None) if is_optional(field) => {
                entries.remove(field.name);
            }
            (Some(value), _) => {
                let value = filled(value, field.shape.get());
                entries.insert(field.name.to_owned(), value);
            }
            (None, None) => {}
        }
    }
    entries
}
