//! A JSON Schema, as schemars writes it, into a shape.

use serde_json::{Map, Value};

use super::pattern::portable;
use super::{fail, leaked, unruled};
use crate::arguments::{SchemaError, is_format};
use crate::schema::check::hash;
use crate::schema::{
    Array, Bound, DefaultValue, Enum, EnumValue, Field, Integer, Kind, Link, Number, Object, Rules, Text,
};

pub(super) type Entries = Map<String, Value>;
type Read<T> = Result<T, SchemaError>;

/// Keywords that say nothing of which values are valid.
const ANNOTATIONS: [&str; 11] = [
    "$schema",
    "$id",
    "$comment",
    "$defs",
    "definitions",
    "title",
    "description",
    "default",
    "examples",
    "readOnly",
    "writeOnly",
];

pub(super) struct Reader<'s> {
    root: &'s Value,
    name: &'s str,
}

impl<'s> Reader<'s> {
    pub(super) fn new(root: &'s Value, name: &'s str) -> Self {
        Self { root, name }
    }

    pub(super) fn name(&self) -> &'s str {
        self.name
    }

    /// The kind of a schema, and what it asks beyond that.
    pub(super) fn read(&self, schema: &'s Value, path: &str) -> Read<(Kind, Rules)> {
        let schema = self.referred(schema, path)?;
        let Value::Object(schema) = schema else { return fail(path, "its schema takes any value") };
        if let Some((one, other)) = alternatives(schema) {
            only(schema, &["type", one], path)?;
            return self.one_of(other, description(schema), path);
        }
        if let Some(values) = schema.get("enum").or_else(|| schema.get("const")) {
            only(schema, &["type", "enum", "const"], path)?;
            return Ok((self.enumerated(values, description(schema), path)?, Rules::NONE));
        }
        match schema.get("type") {
            Some(Value::String(name)) => self.typed(name, schema, path),
            Some(Value::Array(names)) => {
                let mut others = names.iter().filter(|name| *name != "null");
                match (others.next(), others.next()) {
                    (Some(Value::String(name)), None) => {
                        let (kind, rules) = self.typed(name, schema, path)?;
                        Ok((nullable(kind), rules))
                    }
                    _ => fail(path, "its schema takes values of several types"),
                }
            }
            _ => fail(path, "its schema names no type"),
        }
    }

    /// The schema that a local reference means. Types that contain themselves end in an error: a shape that is read
    /// cannot refer to itself.
    fn referred(&self, mut schema: &'s Value, path: &str) -> Read<&'s Value> {
        let mut steps = 0;
        while let Some(target) = schema.get("$ref") {
            steps += 1;
            let found = target.as_str().and_then(|target| target.strip_prefix('#'));
            let found = found.and_then(|pointer| self.root.pointer(pointer));
            match found {
                // What is inlined refers only to what contains it.
                Some(_) if steps > 1 || target == "#" || is_within(self.root, target) => {
                    return fail(path, "a type that contains itself is not read; derive `ToolSchema` for it");
                }
                Some(found) => schema = found,
                None => return fail(path, format!("its schema refers to {target}, which is not there")),
            }
        }
        Ok(schema)
    }

    fn typed(&self, name: &str, schema: &'s Entries, path: &str) -> Read<(Kind, Rules)> {
        match name {
            "boolean" => {
                only(schema, &["type"], path)?;
                Ok((Kind::Bool, Rules::NONE))
            }
            "integer" => integer(schema, path),
            "number" => number(schema, path),
            "string" => text(schema, path),
            "array" => Ok((self.array(schema, path)?, Rules::NONE)),
            "object" => Ok((Kind::Object(self.object(schema, path)?), Rules::NONE)),
            other => fail(path, format!("its schema is of the type `{other}`, for which there is nothing to fill in")),
        }
    }

    /// The link to a value that no field holds.
    pub(super) fn value(&self, schema: &'s Value, path: &str) -> Read<Link> {
        let (kind, rules) = self.read(schema, path)?;
        unruled((leaked(kind), rules), path)
    }

    fn array(&self, schema: &'s Entries, path: &str) -> Read<Kind> {
        only(schema, &["type", "items", "minItems", "maxItems", "uniqueItems"], path)?;
        let Some(items) = schema.get("items") else { return fail(path, "its schema is a list of anything") };
        Ok(Kind::Array(Array {
            item: self.value(items, &format!("{path}[]"))?,
            min_items: count(schema, "minItems", path)?,
            max_items: count(schema, "maxItems", path)?,
            unique: schema.get("uniqueItems") == Some(&Value::Bool(true)),
        }))
    }

    /// A closed object; `additionalProperties` may be left out, since serde's structs take what they do not know.
    pub(super) fn object(&self, schema: &'s Entries, path: &str) -> Read<Object> {
        only(schema, &["type", "properties", "required", "additionalProperties"], path)?;
        if schema.get("additionalProperties").is_some_and(|more| *more != Value::Bool(false)) {
            return fail(path, "it has open keys; use `Vec<Entry>`, or `strict = false` and the feature `jsonschema`");
        }
        let Some(Value::Object(properties)) = schema.get("properties") else {
            let closed = schema.contains_key("additionalProperties");
            return if closed { Ok(self.named(&[], schema, path)) } else { fail(path, "its schema takes any object") };
        };
        let required = |name: &str| {
            let names = schema.get("required").and_then(Value::as_array);
            names.is_some_and(|names| names.iter().any(|other| other == name))
        };
        let mut fields = Vec::with_capacity(properties.len());
        for (name, property) in properties {
            let path = format!("{path}.{name}");
            let (kind, rules) = self.read(property, &path)?;
            let optional = matches!(kind, Kind::Nullable(_));
            let default = (!required(name) && !optional).then_some(DefaultValue::Serde);
            let mut doc = property.as_object().map(description).unwrap_or_default();
            if let (Some(_), Some(value)) = (default, property.get("default")) {
                doc = format!("{doc}{}Default: {value}.", if doc.is_empty() { "" } else { " " });
            }
            fields.push(Field {
                name: leak(name),
                aliases: &[],
                doc: leak(&doc),
                shape: leaked(kind),
                rules,
                default,
                example: None,
                identity: false,
                flatten: false,
            });
        }
        Ok(self.named(fields.leak(), schema, path))
    }

    fn named(&self, fields: &'static [Field], schema: &Entries, path: &str) -> Object {
        let title = schema.get("title").and_then(Value::as_str).unwrap_or(self.name);
        Object {
            id: hash(&format!("{}:{path}", self.name)),
            name: leak(title),
            doc: leak(&description(schema)),
            fields,
            generic: false,
        }
    }

    /// Strings, and null where it may stand beside them.
    fn enumerated(&self, values: &Value, doc: String, path: &str) -> Read<Kind> {
        let values = match values {
            Value::Array(values) => values.as_slice(),
            one => std::slice::from_ref(one),
        };
        let mut names = Vec::with_capacity(values.len());
        for value in values {
            match value {
                Value::String(name) => names.push(EnumValue { name: leak(name), aliases: &[], doc: "" }),
                Value::Null => {}
                _ => return fail(path, "its schema lists values that are not strings"),
            }
        }
        if names.is_empty() {
            return fail(path, "its schema is only null, for which there is nothing to fill in");
        }
        let has_null = names.len() < values.len();
        let list = Kind::Enum(Enum { name: leak(self.name), doc: leak(&doc), values: names.leak() });
        Ok(if has_null { nullable(list) } else { list })
    }
}

/// Whether a reference leads to a schema that refers to it again.
fn is_within(root: &Value, target: &Value) -> bool {
    fn refers(schema: &Value, root: &Value, target: &Value, left: usize) -> bool {
        match schema {
            _ if left == 0 => true,
            Value::Object(entries) => entries.iter().any(|(key, value)| match value {
                Value::String(_) if key == "$ref" => {
                    value == target
                        || value == "#"
                        || found(root, value).is_some_and(|next| refers(next, root, target, left - 1))
                }
                value => refers(value, root, target, left),
            }),
            Value::Array(items) => items.iter().any(|item| refers(item, root, target, left)),
            _ => false,
        }
    }
    fn found<'v>(root: &'v Value, target: &Value) -> Option<&'v Value> {
        root.pointer(target.as_str()?.strip_prefix('#')?)
    }
    // A chain of more references than this is taken for a circle.
    found(root, target).is_some_and(|schema| refers(schema, root, target, 32))
}

/// `oneOf` or `anyOf`, which mean the same where no two forms take one value.
fn alternatives(schema: &Entries) -> Option<(&'static str, &Vec<Value>)> {
    ["oneOf", "anyOf"].into_iter().find_map(|word| match schema.get(word) {
        Some(Value::Array(forms)) => Some((word, forms)),
        _ => None,
    })
}

/// Refuses keywords that would be lost.
pub(super) fn only(schema: &Entries, known: &[&str], path: &str) -> Read<()> {
    let is_known = |key: &str| known.contains(&key) || ANNOTATIONS.contains(&key) || key.starts_with("x-");
    match schema.keys().find(|key| !is_known(key) && *key != "deprecated") {
        None => Ok(()),
        Some(keyword) => fail(path, format!("no shape can say `{keyword}` of its schema here")),
    }
}

/// What the schema says of itself. A title of more than one word is documentation too: schemars makes one of a
/// heading in a doc comment.
pub(super) fn description(schema: &Entries) -> String {
    let text = |key| schema.get(key).and_then(Value::as_str);
    let title = text("title").filter(|title| title.contains(char::is_whitespace));
    let parts: Vec<_> = title.into_iter().chain(text("description")).collect();
    parts.join("\n\n")
}

pub(super) fn nullable(kind: Kind) -> Kind {
    match kind {
        Kind::Nullable(_) => kind,
        kind => Kind::Nullable(leaked(kind)),
    }
}

pub(super) fn leak(text: &str) -> &'static str {
    text.to_owned().leak()
}

fn integer(schema: &Entries, path: &str) -> Read<(Kind, Rules)> {
    let known = ["type", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "not"];
    only(schema, &known, path)?;
    let (min, max): (i128, i128) = match schema.get("format").and_then(Value::as_str) {
        Some("int8") => (i8::MIN.into(), i8::MAX.into()),
        Some("int16") => (i16::MIN.into(), i16::MAX.into()),
        Some("int32") => (i32::MIN.into(), i32::MAX.into()),
        Some("uint8") => (0, u8::MAX.into()),
        Some("uint16") => (0, u16::MAX.into()),
        Some("uint32") => (0, u32::MAX.into()),
        Some("uint" | "uint64") => (0, u64::MAX.into()),
        None | Some("int" | "int64") => (i64::MIN.into(), i64::MAX.into()),
        Some(format) => return fail(path, format!("JSON numbers cannot hold its format `{format}`")),
    };
    let zero = match schema.get("not") {
        None => true,
        Some(not) if not.get("const").and_then(Value::as_i64) == Some(0) => false,
        Some(_) => return fail(path, "no shape can say `not` of its schema here"),
    };
    let rules = numeric(schema, path)?;
    // Bounds are part of the kind, so that a list may have such items and a field rules of its own.
    let whole = |bound: Option<Bound>, none: i128| match bound {
        None => Ok(none),
        Some(Bound { whole: Some(whole), .. }) => Ok(whole),
        Some(Bound { text, .. }) => fail(path, format!("its schema bounds an integer by {text}")),
    };
    let min = min.max(whole(rules.minimum, min)?).max(whole(rules.exclusive_minimum, min - 1)? + 1);
    let max = max.min(whole(rules.maximum, max)?).min(whole(rules.exclusive_maximum, max + 1)? - 1);
    let rules = Rules { multiple_of: rules.multiple_of, ..Rules::NONE };
    Ok((Kind::Integer(Integer { min, max, zero }), rules))
}

fn number(schema: &Entries, path: &str) -> Read<(Kind, Rules)> {
    let known = ["type", "format", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"];
    only(schema, &known, path)?;
    let number = match schema.get("format").and_then(Value::as_str) {
        Some("float") => Number::F32,
        _ => Number::F64,
    };
    Ok((Kind::Number(number), numeric(schema, path)?))
}

fn numeric(schema: &Entries, path: &str) -> Read<Rules> {
    let bound = |keyword: &str| match schema.get(keyword) {
        None => Ok(None),
        Some(Value::Number(number)) => {
            // A JSON number has a nearest float.
            let float = number.as_f64().unwrap_or(f64::INFINITY);
            let exact = number.as_i64().map(i128::from).or(number.as_u64().map(i128::from));
            // `1.0` is whole too; beyond 2^53 it is not known to be.
            let whole = exact.or((float.fract() == 0.0 && float.abs() < 9e15).then_some(float as i128));
            let text = whole.map_or_else(|| number.to_string(), |whole| whole.to_string());
            Ok(Some(Bound { text: leak(&text), whole, float }))
        }
        Some(other) => fail(path, format!("`{keyword}` of its schema is {other}")),
    };
    Ok(Rules {
        minimum: bound("minimum")?,
        exclusive_minimum: bound("exclusiveMinimum")?,
        maximum: bound("maximum")?,
        exclusive_maximum: bound("exclusiveMaximum")?,
        multiple_of: bound("multipleOf")?,
        ..Rules::NONE
    })
}

fn text(schema: &Entries, path: &str) -> Read<(Kind, Rules)> {
    only(schema, &["type", "format", "minLength", "maxLength", "pattern"], path)?;
    let format = schema.get("format").and_then(Value::as_str);
    let known = format.filter(|format| is_format(format));
    let words = format.filter(|_| known.is_none()).map(|format| leak(&format!("text of the format {format}")));
    let kind = Kind::Text(Text {
        format: known.map(leak),
        words,
        min_length: count(schema, "minLength", path)?,
        max_length: count(schema, "maxLength", path)?,
        // What the type itself asks it says when it is read.
        reads: None,
    });
    let pattern = match schema.get("pattern") {
        None => None,
        Some(Value::String(pattern)) => match portable(pattern) {
            Ok(pattern) => Some(leak(&pattern)),
            Err(why) => return fail(path, format!("`pattern` of its schema, `{pattern}`: {why}")),
        },
        Some(other) => return fail(path, format!("`pattern` of its schema is {other}")),
    };
    Ok((kind, Rules { pattern, ..Rules::NONE }))
}

fn count(schema: &Entries, keyword: &str, path: &str) -> Read<Option<u64>> {
    match schema.get(keyword) {
        None => Ok(None),
        Some(value) => match value.as_u64() {
            Some(count) => Ok(Some(count)),
            None => fail(path, format!("`{keyword}` of its schema is {value}")),
        },
    }
}
