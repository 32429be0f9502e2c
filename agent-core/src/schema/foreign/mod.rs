//! Types that give their schema at run time: `#[arg(schemars)]`.
//!
//! A shape is a constant, and readers of shapes want `'static` references. So a schema is read once and its shape is
//! leaked, once for each argument object that a program has in its text; their number does not grow while it runs.

mod pattern;
mod read;
#[cfg(test)]
mod tests;
mod union;

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

use self::read::Reader;
use super::{Array, Field, Foreign, Kind, Link, Object, Rules, Shape, Union, Variant};
use crate::arguments::SchemaError;

/// The shape with the shapes of its foreign types in their places; the same shape where it has none.
///
/// In a tool that is not strict, what no shape can say is a [`Kind::Json`].
///
/// # Errors
///
/// The first foreign type that no shape can say, with its path.
pub(crate) fn resolve(shape: &'static Shape, strict: bool) -> Result<&'static Shape, SchemaError> {
    if !has_foreign(shape) {
        return Ok(shape);
    }
    static RESOLVED: Mutex<Option<HashMap<(usize, bool), Link>>> = Mutex::new(None);
    let key = (std::ptr::from_ref(shape).addr(), strict);
    let known = |cache: &Option<HashMap<_, Link>>| cache.as_ref().and_then(|cache| cache.get(&key).copied());
    if let Some(known) = known(&RESOLVED.lock().unwrap_or_else(PoisonError::into_inner)) {
        return Ok(known.get());
    }
    // Without the lock: the schema is made by code of the type.
    let path = match &shape.kind {
        Kind::Object(object) => object.name,
        _ => "arguments",
    };
    let (link, _) = Resolver { strict, open: Vec::new() }.link(Link::to(shape), path)?;
    let mut cache = RESOLVED.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(cache.get_or_insert_default().entry(key).or_insert(link).get())
}

fn has_foreign(shape: &'static Shape) -> bool {
    fn search(kind: &'static Kind, seen: &mut HashSet<u64>) -> bool {
        match kind {
            Kind::Foreign(_) => true,
            Kind::Array(array) => search(&array.item.get().kind, seen),
            Kind::Nullable(inner) => search(&inner.get().kind, seen),
            Kind::Object(object) => {
                seen.insert(object.id) && object.fields.iter().any(|field| search(&field.shape.get().kind, seen))
            }
            Kind::Union(union) => {
                let mut contents = union.variants.iter().filter_map(|variant| variant.content);
                seen.insert(union.id) && contents.any(|content| search(&content.get().kind, seen))
            }
            _ => false,
        }
    }
    search(&shape.kind, &mut HashSet::new())
}

/// A shape, and what its schema asks beyond it.
type Ruled = (Link, Rules);

/// Whether a schema is that of an optional value, as schemars writes it.
fn takes_null(schema: &Value) -> bool {
    let null = |kind: &Value| kind == "null";
    let kinds = schema["type"].as_array().into_iter().flatten();
    let forms = schema["anyOf"].as_array().into_iter().flatten();
    kinds.chain(forms.map(|form| &form["type"])).any(null)
}

struct Resolver {
    strict: bool,
    open: Vec<u64>,
}

impl Resolver {
    fn link(&mut self, link: Link, path: &str) -> Result<Ruled, SchemaError> {
        let shape = link.get();
        let kind = match &shape.kind {
            _ if !has_foreign(shape) => return Ok((link, Rules::NONE)),
            Kind::Foreign(foreign) => return self.foreign(foreign, path),
            Kind::Array(array) => {
                let path = format!("{path}[]");
                let item = unruled(self.link(array.item, &path)?, &path)?;
                Kind::Array(Array { item, ..*array })
            }
            Kind::Nullable(inner) => {
                let (inner, rules) = self.link(*inner, path)?;
                return Ok(match inner.get().kind {
                    Kind::Nullable(_) => (inner, rules),
                    _ => (leaked(Kind::Nullable(inner)), rules),
                });
            }
            Kind::Object(object) => Kind::Object(self.object(object, path)?),
            Kind::Union(union) => Kind::Union(self.union(union, path)?),
            // The others hold no type.
            _ => return Ok((link, Rules::NONE)),
        };
        Ok((leaked(kind), Rules::NONE))
    }

    fn foreign(&self, foreign: &Foreign, path: &str) -> Result<Ruled, SchemaError> {
        let schema = (foreign.schema)();
        let read = Reader::new(&schema, foreign.name).read(&schema, path);
        match read {
            Ok((kind, rules)) => Ok((leaked(kind), rules)),
            Err(_) if !self.strict => {
                let shape = leaked(loose(&schema, path)?);
                Ok((if takes_null(&schema) { leaked(Kind::Nullable(shape)) } else { shape }, Rules::NONE))
            }
            Err(error) => Err(error),
        }
    }

    fn object(&mut self, object: &'static Object, path: &str) -> Result<Object, SchemaError> {
        self.enter(object.id, path)?;
        let mut fields = Vec::with_capacity(object.fields.len());
        for field in object.fields {
            let path = format!("{path}.{}", field.name);
            let (shape, rules) = self.link(field.shape, &path)?;
            fields.push(Field { shape, rules: both(field.rules, rules, &path)?, ..*field });
        }
        self.open.pop();
        Ok(Object { fields: fields.leak(), ..*object })
    }

    fn union(&mut self, union: &'static Union, path: &str) -> Result<Union, SchemaError> {
        self.enter(union.id, path)?;
        let mut variants = Vec::with_capacity(union.variants.len());
        for variant in union.variants {
            let path = format!("{path}.{}", variant.name);
            let content = match variant.content {
                Some(content) => Some(unruled(self.link(content, &path)?, &path)?),
                None => None,
            };
            variants.push(Variant { content, ..*variant });
        }
        self.open.pop();
        Ok(Union { variants: variants.leak(), ..*union })
    }

    fn enter(&mut self, id: u64, path: &str) -> Result<(), SchemaError> {
        if self.open.contains(&id) {
            let reason = "a type that contains itself cannot hold a foreign type; derive `ToolSchema` for that one";
            return fail(path, reason);
        }
        self.open.push(id);
        Ok(())
    }
}

/// What a foreign type is where its schema is held to as it stands.
#[cfg(feature = "jsonschema")]
fn loose(schema: &Value, path: &str) -> Result<Kind, SchemaError> {
    use crate::arguments::JsonValidator;
    if let Some(reference) = referred(schema) {
        return fail(path, format!("its schema refers to `{reference}`, which has no place inside a tool's schema"));
    }
    let validator = JsonValidator::new(schema).map_err(|reason| SchemaError { path: path.to_owned(), reason })?;
    let judge = Box::leak(Box::new(move |value: &Value| validator.problems(value)));
    Ok(Kind::Json(super::Json { schema: schema.to_string().leak(), judge }))
}

#[cfg(not(feature = "jsonschema"))]
fn loose(_: &Value, path: &str) -> Result<Kind, SchemaError> {
    fail(path, "only its own schema can say it; turn on the feature `jsonschema` of `agent-core`")
}

/// The first `$ref` of a schema.
#[cfg(feature = "jsonschema")]
fn referred(schema: &Value) -> Option<&str> {
    match schema {
        Value::Object(entries) => entries.iter().find_map(|(key, value)| match value {
            Value::String(target) if key == "$ref" => Some(target.as_str()),
            value => referred(value),
        }),
        Value::Array(items) => items.iter().find_map(referred),
        _ => None,
    }
}

fn fail<T>(path: &str, reason: impl Into<String>) -> Result<T, SchemaError> {
    Err(SchemaError { path: path.to_owned(), reason: reason.into() })
}

fn leaked(kind: Kind) -> Link {
    Link::to(Box::leak(Box::new(Shape::new(kind))))
}

/// The shape where it may have no rules of its own: rules stand on fields.
fn unruled((link, rules): Ruled, path: &str) -> Result<Link, SchemaError> {
    match named(&rules).first() {
        None => Ok(link),
        Some(keyword) => fail(path, format!("`{keyword}` of its schema has no place here; put it on a field")),
    }
}

/// The rules of an attribute and those of the type itself.
fn both(own: Rules, types: Rules, path: &str) -> Result<Rules, SchemaError> {
    let given = named(&own);
    if let Some(keyword) = named(&types).into_iter().find(|keyword| given.contains(keyword)) {
        return fail(path, format!("the type has a `{keyword}` of its own; leave it out of the attribute"));
    }
    Ok(Rules {
        minimum: own.minimum.or(types.minimum),
        exclusive_minimum: own.exclusive_minimum.or(types.exclusive_minimum),
        maximum: own.maximum.or(types.maximum),
        exclusive_maximum: own.exclusive_maximum.or(types.exclusive_maximum),
        multiple_of: own.multiple_of.or(types.multiple_of),
        min_length: own.min_length.or(types.min_length),
        max_length: own.max_length.or(types.max_length),
        pattern: own.pattern.or(types.pattern),
        format: own.format.or(types.format),
        min_items: own.min_items.or(types.min_items),
        max_items: own.max_items.or(types.max_items),
    })
}

/// The keywords that are given.
fn named(rules: &Rules) -> Vec<&'static str> {
    let rows = [
        (rules.minimum.is_some(), "minimum"),
        (rules.exclusive_minimum.is_some(), "exclusiveMinimum"),
        (rules.maximum.is_some(), "maximum"),
        (rules.exclusive_maximum.is_some(), "exclusiveMaximum"),
        (rules.multiple_of.is_some(), "multipleOf"),
        (rules.min_length.is_some(), "minLength"),
        (rules.max_length.is_some(), "maxLength"),
        (rules.pattern.is_some(), "pattern"),
        (rules.format.is_some(), "format"),
        (rules.min_items.is_some(), "minItems"),
        (rules.max_items.is_some(), "maxItems"),
    ];
    rows.into_iter().filter(|(given, _)| *given).map(|(_, keyword)| keyword).collect()
}
