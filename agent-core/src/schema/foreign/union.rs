//! Alternatives: null beside a value, documented names, forms told apart by a key or a tag.

use serde_json::Value;

use super::read::{Entries, Reader, description, leak, nullable, only};
use super::{fail, leaked};
use crate::arguments::SchemaError;
use crate::schema::check::hash;
use crate::schema::{Enum, EnumValue, Kind, Rules, Tagging, Union, Variant};

type Read<T> = Result<T, SchemaError>;

impl<'s> Reader<'s> {
    pub(super) fn one_of(&self, forms: &'s [Value], doc: String, path: &str) -> Read<(Kind, Rules)> {
        let others: Vec<&Value> = forms.iter().filter(|form| !is_null(form)).collect();
        let (kind, rules) = match others.as_slice() {
            [one] => self.read(one, path)?,
            several => (self.forms(several, doc, path)?, Rules::NONE),
        };
        Ok((if others.len() < forms.len() { nullable(kind) } else { kind }, rules))
    }

    fn forms(&self, forms: &[&'s Value], doc: String, path: &str) -> Read<Kind> {
        let mut objects = Vec::with_capacity(forms.len());
        for form in forms {
            match form {
                Value::Object(form) => objects.push(form),
                _ => return fail(path, "its schema has a form that takes any value"),
            }
        }
        if let Some(values) = objects.iter().map(|form| names(form)).collect::<Option<Vec<_>>>() {
            let values = values.concat().leak();
            return Ok(Kind::Enum(Enum { name: leak(self.name()), doc: leak(&doc), values }));
        }
        let (tagging, variants) = match tag(&objects) {
            Some(tag) => (Tagging::Internal(leak(tag)), self.tagged(tag, &objects, path)?),
            None => (Tagging::External, self.keyed(&objects, path)?),
        };
        Ok(Kind::Union(Union {
            id: hash(&format!("{}:{path}:forms", self.name())),
            name: leak(self.name()),
            doc: leak(&doc),
            tagging,
            variants: variants.leak(),
            generic: false,
        }))
    }

    /// `{"tag": "Variant", ..}`
    fn tagged(&self, tag: &str, forms: &[&'s Entries], path: &str) -> Read<Vec<Variant>> {
        let mut variants = Vec::with_capacity(forms.len());
        for form in forms {
            // `tag` found it in each.
            let name = tag_of(form, tag).unwrap_or_default();
            let path = format!("{path}.{name}");
            let mut object = self.object(form, &path)?;
            let fields: Vec<_> = object.fields.iter().filter(|field| field.name != tag).copied().collect();
            let doc = object.doc;
            object.doc = "";
            object.fields = fields.leak();
            let content = (!object.fields.is_empty()).then(|| leaked(Kind::Object(object)));
            variants.push(Variant { name: leak(name), aliases: &[], doc, content });
        }
        Ok(variants)
    }

    /// `"Variant"` or `{"Variant": {..}}`
    fn keyed(&self, forms: &[&'s Entries], path: &str) -> Read<Vec<Variant>> {
        let mut variants = Vec::new();
        for form in forms {
            if let Some(values) = names(form) {
                variants.extend(values.iter().map(|value| Variant {
                    name: value.name,
                    aliases: &[],
                    doc: value.doc,
                    content: None,
                }));
                continue;
            }
            let properties = form.get("properties").and_then(Value::as_object);
            let mut entries = properties.into_iter().flatten();
            let (Some((name, content)), None) = (entries.next(), entries.next()) else {
                return fail(path, "its forms are told apart neither by a tag nor by one key");
            };
            only(form, &["type", "properties", "required", "additionalProperties"], path)?;
            if form.get("required") != Some(&Value::Array(vec![name.as_str().into()])) {
                return fail(path, "its forms are told apart neither by a tag nor by one key");
            }
            let content = self.value(content, &format!("{path}.{name}"))?;
            let doc = leak(&description(form));
            variants.push(Variant { name: leak(name), aliases: &[], doc, content: Some(content) });
        }
        Ok(variants)
    }
}

fn is_null(form: &Value) -> bool {
    form.get("type").is_some_and(|name| name == "null") || form.get("const").is_some_and(Value::is_null)
}

/// The strings that a form is one of, with the form's documentation where it is one.
fn names(form: &Entries) -> Option<Vec<EnumValue>> {
    let name =
        |value: &Value, doc: &'static str| value.as_str().map(|name| EnumValue { name: leak(name), aliases: &[], doc });
    match (form.get("const"), form.get("enum")) {
        (Some(value), None) => Some(vec![name(value, leak(&description(form)))?]),
        (None, Some(Value::Array(values))) => values.iter().map(|value| name(value, "")).collect(),
        _ => None,
    }
}

/// The property that each form requires and gives a string of its own.
fn tag<'s>(forms: &[&'s Entries]) -> Option<&'s str> {
    let properties = forms.first()?.get("properties")?.as_object()?;
    properties.keys().map(String::as_str).find(|tag| {
        let mut seen = std::collections::HashSet::new();
        forms.iter().all(|form| tag_of(form, tag).is_some_and(|name| seen.insert(name)))
    })
}

fn tag_of<'s>(form: &'s Entries, tag: &str) -> Option<&'s str> {
    let property = form.get("properties")?.get(tag)?;
    let is_required = form.get("required")?.as_array()?.iter().any(|name| name == tag);
    let value = match (property.get("const"), property.get("enum").and_then(Value::as_array)) {
        (Some(value), _) => value,
        (None, Some(values)) if values.len() == 1 => &values[0],
        _ => return None,
    };
    value.as_str().filter(|_| is_required)
}
