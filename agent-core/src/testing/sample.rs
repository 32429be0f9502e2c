//! A value that a published schema allows: the plainest one.

use regex_syntax::hir::{Class, Hir, HirKind};
use serde_json::{Map, Value, json};

/// How deep a value may become; a type that contains itself ends at its first null or empty list.
const DEEPEST: usize = 32;

/// How long a text may become, in bytes.
const LONGEST: usize = 10_000;

/// The plainest value of the schema.
pub(super) fn sample(schema: &Value, root: &Value) -> Result<Value, String> {
    at_depth(schema, root, 0)
}

fn at_depth(schema: &Value, root: &Value, depth: usize) -> Result<Value, String> {
    if depth > DEEPEST {
        return Err("the type contains itself without end".to_owned());
    }
    if let Some(reference) = schema["$ref"].as_str() {
        let target = root.pointer(reference.trim_start_matches('#')).ok_or_else(|| format!("no {reference}"))?;
        return at_depth(target, root, depth + 1);
    }
    if let Some(values) = schema["enum"].as_array() {
        return values.first().cloned().ok_or_else(|| "an enum without values".to_owned());
    }
    if let Some(value) = schema.get("const") {
        return Ok(value.clone());
    }
    if let Some(branches) = schema["anyOf"].as_array() {
        let null = branches.iter().any(|branch| branch["type"] == "null");
        return match branches.first() {
            _ if null && depth > 4 => Ok(Value::Null),
            Some(branch) => at_depth(branch, root, depth + 1),
            None => Err("a union without branches".to_owned()),
        };
    }
    let kind = match &schema["type"] {
        Value::Array(kinds) => kinds.iter().find_map(|kind| kind.as_str().filter(|kind| *kind != "null")),
        kind => kind.as_str(),
    };
    match kind {
        Some("object") => object(schema, root, depth),
        Some("array") => {
            let items = schema["minItems"].as_u64().unwrap_or(0);
            (0..items).map(|_| at_depth(&schema["items"], root, depth + 1)).collect()
        }
        Some("string") => text(schema).map(Value::from),
        Some("integer") => Ok(json!(whole(schema))),
        Some("number") => Ok(json!(number(schema))),
        Some("boolean") => Ok(json!(true)),
        _ => Ok(Value::Null),
    }
}

fn object(schema: &Value, root: &Value, depth: usize) -> Result<Value, String> {
    let mut object = Map::new();
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        object.insert(name.clone(), at_depth(property, root, depth + 1)?);
    }
    Ok(Value::Object(object))
}

/// The number nearest to zero within the bounds.
fn number(schema: &Value) -> f64 {
    let bound = |key: &str| schema[key].as_f64();
    let step = bound("multipleOf").unwrap_or(1.0);
    let least = bound("minimum").or_else(|| bound("exclusiveMinimum").map(|bound| bound + step));
    let most = bound("maximum").or_else(|| bound("exclusiveMaximum").map(|bound| bound - step));
    let near = 0.0_f64.max(least.unwrap_or(f64::MIN)).min(most.unwrap_or(f64::MAX));
    (near / step).ceil() * step
}

fn whole(schema: &Value) -> i64 {
    #[expect(clippy::cast_possible_truncation, reason = "the cast saturates, and a bound that large is a value itself")]
    let near = number(schema).ceil() as i64;
    near
}

fn text(schema: &Value) -> Result<String, String> {
    let count = |key: &str| schema[key].as_u64().map(|count| usize::try_from(count).unwrap_or(usize::MAX));
    let (least, most) = (count("minLength").unwrap_or(0), count("maxLength").unwrap_or(usize::MAX));
    if let Some(pattern) = schema["pattern"].as_str() {
        return matching(pattern, least, most);
    }
    let text = match schema["format"].as_str() {
        Some("date-time") => "2020-01-02T03:04:05Z",
        Some("date") => "2020-01-02",
        Some("time") => "03:04:05Z",
        Some("duration") => "P1D",
        Some("email") => "a@example.org",
        Some("hostname") => "example.org",
        Some("ipv4") => "127.0.0.1",
        Some("ipv6") => "::1",
        Some("uuid") => "00000000-0000-4000-8000-000000000000",
        Some("uri") => "https://example.org/",
        _ if least > LONGEST => return Err(format!("a text of at least {least} characters")),
        _ => return Ok("text".chars().cycle().take(least.max(4).min(most)).collect()),
    };
    Ok(text.to_owned())
}

/// The shortest text within the lengths that the pattern matches, by its first alternatives.
fn matching(pattern: &str, least: usize, most: usize) -> Result<String, String> {
    let parsed = regex_syntax::parse(pattern).map_err(|error| error.to_string())?;
    let mut last = None;
    for more in 0..=LONGEST {
        let mut text = String::new();
        write(&parsed, more, &mut text)?;
        let length = text.chars().count();
        if (least..=most).contains(&length) {
            return Ok(text);
        }
        if length > most.min(LONGEST) || last == Some(length) {
            break;
        }
        last = Some(length);
    }
    Err(format!("no simple text matches {pattern} and has {least} to {most} characters"))
}

/// A text that the pattern matches, each repetition with so many more than it must have.
fn write(pattern: &Hir, more: usize, text: &mut String) -> Result<(), String> {
    match pattern.kind() {
        HirKind::Empty | HirKind::Look(_) => Ok(()),
        HirKind::Literal(literal) => {
            text.push_str(std::str::from_utf8(&literal.0).map_err(|error| error.to_string())?);
            Ok(())
        }
        HirKind::Class(Class::Unicode(class)) => match class.ranges().first() {
            Some(range) => {
                text.push(range.start());
                Ok(())
            }
            None => Err("a pattern that nothing matches".to_owned()),
        },
        HirKind::Class(Class::Bytes(_)) => Err("a pattern of bytes".to_owned()),
        HirKind::Repetition(repetition) => {
            let least = repetition.min as usize;
            let most = repetition.max.map_or(usize::MAX, |most| most as usize);
            for _ in 0..least.saturating_add(more).min(most) {
                if text.len() > LONGEST {
                    return Err("a text too long to be made".to_owned());
                }
                write(&repetition.sub, 0, text)?;
            }
            Ok(())
        }
        HirKind::Capture(capture) => write(&capture.sub, more, text),
        HirKind::Concat(parts) => parts.iter().try_for_each(|part| write(part, more, text)),
        HirKind::Alternation(branches) => match branches.first() {
            Some(branch) => write(branch, more, text),
            None => Err("a pattern that nothing matches".to_owned()),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_keep_to_bounds_patterns_and_lists() {
        let schema = json!({
            "type": "object",
            "properties": {
                "a": {"type": "integer", "minimum": 3},
                "b": {"type": "number", "exclusiveMaximum": -1},
                "c": {"type": "string", "pattern": "^[A-Z]{2}-(x|y)+$"},
                "d": {"type": "array", "items": {"enum": ["k"]}, "minItems": 2},
                "e": {"type": ["string", "null"], "format": "date"},
                "f": {"anyOf": [{"type": "boolean"}, {"type": "null"}]},
            },
        });
        let expected = json!({"a": 3, "b": -2.0, "c": "AA-x", "d": ["k", "k"], "e": "2020-01-02", "f": true});
        assert_eq!(sample(&schema, &schema).unwrap(), expected);
    }

    #[test]
    fn texts_keep_to_their_lengths() {
        let made = |schema: Value| sample(&schema, &schema);
        assert_eq!(made(json!({"type": "string", "minLength": 6})), Ok(json!("textte")));
        assert_eq!(made(json!({"type": "string", "maxLength": 2})), Ok(json!("te")));
        assert_eq!(made(json!({"type": "string", "pattern": "^[a-z]*$", "minLength": 3})), Ok(json!("aaa")));
        assert_eq!(made(json!({"type": "string", "pattern": "^b+-c{2,4}$", "minLength": 6})), Ok(json!("bb-ccc")));
        assert!(made(json!({"type": "string", "pattern": "^ab$", "minLength": 3})).is_err());
        assert!(made(json!({"type": "string", "minLength": 1_000_000})).is_err());
    }

    #[test]
    fn a_type_that_contains_itself_ends() {
        let schema = json!({"type": "object", "properties": {"next": {"anyOf": [{"$ref": "#"}, {"type": "null"}]}}});
        let value = sample(&schema, &schema).unwrap().to_string();
        assert!(value.contains("null") && value.len() < 200, "{value}");
    }
}
