//! Writes the schema of a shape.

use std::collections::{HashMap, HashSet};

use super::dialect::Dialect;
use super::recursion::recursive;
use super::rules::{Constraints, Keywords};
use crate::arguments::{Tree, parse};
use crate::schema::{DefaultValue, Enum, Field, Json, Kind, Link, Object, Rules, Shape, Tagging, Union, Variant};

/// Writes one document.
pub(super) struct Emitter<'d> {
    dialect: Dialect<'d>,
    recursive: HashSet<u64>,
    root: Option<u64>,
    /// Names of definitions by the id of their type.
    names: HashMap<u64, String>,
    /// Definitions that are referred to, in the order of first reference.
    referred: Vec<(u64, &'static Shape)>,
}

/// What is said of a value beside its schema.
#[derive(Default)]
struct Notes {
    /// The documentation of the field; empty where it has none.
    doc: &'static str,
    /// Sentences that follow the constraints: the default, an example.
    after: Vec<String>,
}

impl<'d> Emitter<'d> {
    pub(super) fn new(dialect: Dialect<'d>, shape: &'static Shape) -> Self {
        let root = id(&shape.kind);
        Self { dialect, recursive: recursive(shape), root, names: HashMap::new(), referred: Vec::new() }
    }

    /// The whole text.
    pub(super) fn document(mut self, shape: &'static Shape) -> String {
        let mut root = match &shape.kind {
            // The tool's own description stands beside its parameters.
            Kind::Object(object) => self.object(object.fields, None),
            kind => self.body(kind, &Rules::NONE, Notes::default(), false),
        };
        let mut definitions = Vec::new();
        // Writing one definition may refer to more.
        while let Some((id, shape)) = self.referred.get(definitions.len()).copied() {
            let name = self.name(id, shape);
            definitions
                .push((name.into(), Tree::Object(self.body(&shape.kind, &Rules::NONE, Notes::default(), false))));
        }
        if !definitions.is_empty() {
            root.push(("$defs".into(), Tree::Object(definitions)));
        }
        Tree::Object(root).to_string()
    }

    /// A value of a shape: a reference where its type contains itself, else the schema in place.
    fn value(&mut self, link: Link, rules: &Rules, notes: Notes, null: bool) -> Tree<'static> {
        let shape = link.get();
        if let Kind::Nullable(inner) = shape.kind {
            return self.value(inner, rules, notes, null);
        }
        match id(&shape.kind).filter(|id| self.recursive.contains(id)) {
            Some(id) => Tree::Object(self.reference(id, shape, notes, null)),
            None => Tree::Object(self.body(&shape.kind, rules, notes, null)),
        }
    }

    fn reference(&mut self, id: u64, shape: &'static Shape, notes: Notes, null: bool) -> Keywords {
        let target = if self.root == Some(id) { "#".to_owned() } else { format!("#/$defs/{}", self.name(id, shape)) };
        let reference = vec![("$ref".into(), Tree::Str(target.into()))];
        let description = describe(notes.doc, &[], &notes.after);
        // Nothing may stand beside a `$ref`.
        if !null && description.is_empty() {
            return reference;
        }
        let mut described = Vec::new();
        push_description(&mut described, description);
        described.push(("anyOf".into(), any_of(vec![Tree::Object(reference)], null)));
        described
    }

    /// The name of a definition, told apart from those of other types of the same name.
    fn name(&mut self, id: u64, shape: &'static Shape) -> String {
        if let Some(name) = self.names.get(&id) {
            return name.clone();
        }
        let plain: String = type_name(&shape.kind)
            .chars()
            .map(|character| if character.is_ascii_alphanumeric() { character } else { '_' })
            .collect();
        let mut name = plain.clone();
        let mut count = 1;
        while self.names.values().any(|taken| *taken == name) {
            count += 1;
            name = format!("{plain}{count}");
        }
        self.names.insert(id, name.clone());
        self.referred.push((id, shape));
        name
    }

    /// The schema of a value in place.
    fn body(&mut self, kind: &'static Kind, rules: &Rules, notes: Notes, null: bool) -> Keywords {
        let dialect = self.dialect;
        let mut constraints = Constraints::new(&dialect);
        let (doc, mut keywords) = match kind {
            Kind::Bool => ("", typed("boolean", null)),
            Kind::Integer(integer) => {
                constraints.integer(integer, rules);
                ("", typed("integer", null))
            }
            Kind::Number(number) => {
                constraints.number(*number, rules);
                ("", typed("number", null))
            }
            Kind::Text(text) => {
                constraints.text(text, rules);
                ("", typed("string", null))
            }
            Kind::Array(array) => {
                constraints.array(array, rules);
                let mut keywords = typed("array", null);
                let null = matches!(array.item.get().kind, Kind::Nullable(_));
                keywords.push(("items".into(), self.value(array.item, &Rules::NONE, Notes::default(), null)));
                ("", keywords)
            }
            Kind::Enum(list) => {
                constraints.notes.extend(value_docs(list));
                (list.doc, enumerated(list.values.iter().map(|value| value.name), null))
            }
            Kind::Object(object) => {
                let keywords = self.object(object.fields, None);
                let keywords =
                    if null { vec![("anyOf".into(), any_of(vec![Tree::Object(keywords)], true))] } else { keywords };
                (object.doc, keywords)
            }
            Kind::Union(union) => (union.doc, vec![("anyOf".into(), any_of(self.forms(union), null))]),
            Kind::Nullable(inner) => return self.body(&inner.get().kind, rules, notes, true),
            Kind::Json(json) => ("", json_schema(json)),
            // Refused with the shape; the closest that can be said is what no value satisfies.
            Kind::Foreign(foreign) => (foreign.name, enumerated(std::iter::empty(), false)),
            Kind::Refused(refused) => (refused.what, enumerated(std::iter::empty(), false)),
        };
        keywords.append(&mut constraints.keywords);
        let doc = if notes.doc.is_empty() { doc } else { notes.doc };
        let mut described = Vec::with_capacity(keywords.len() + 1);
        push_description(&mut described, describe(doc, &constraints.notes, &notes.after));
        if !described.is_empty() {
            // A schema of its own may have brought one.
            keywords.retain(|(key, _)| key != "description");
        }
        described.append(&mut keywords);
        described
    }

    /// A closed object of these fields, with a tag in front where it is a form of a tagged union.
    fn object(&mut self, fields: &'static [Field], tag: Option<(&'static str, &'static str)>) -> Keywords {
        let mut properties = Vec::new();
        let mut required = Vec::new();
        if let Some((tag, name)) = tag {
            properties.push((tag.into(), Tree::Object(enumerated(std::iter::once(name), false))));
            required.push(Tree::Str(tag.into()));
        }
        self.fields(fields, &mut properties, &mut required);
        closed(properties, required)
    }

    fn fields(&mut self, fields: &'static [Field], properties: &mut Keywords, required: &mut Vec<Tree<'static>>) {
        for field in fields {
            match &field.shape.get().kind {
                Kind::Object(inner) if field.flatten => self.fields(inner.fields, properties, required),
                kind => {
                    let optional = matches!(kind, Kind::Nullable(_)) || field.default.is_some();
                    let mut schema = self.field(field, optional && self.dialect.nullable);
                    if let (true, Some(DefaultValue::Json(text)), Tree::Object(keywords)) =
                        (self.dialect.full, field.default, &mut schema)
                    {
                        keywords.extend(parse(text).map(|value| ("default".into(), value.into_owned())));
                    }
                    properties.push((field.name.into(), schema));
                    if self.dialect.all_required || !optional {
                        required.push(Tree::Str(field.name.into()));
                    }
                }
            }
        }
    }

    fn field(&mut self, field: &'static Field, null: bool) -> Tree<'static> {
        let mut after = Vec::new();
        if let Some(DefaultValue::Json(text)) = field.default.filter(|_| !self.dialect.full) {
            after.push(format!("Default: {text}."));
        }
        after.extend(field.example.map(|text| format!("Example: {text}.")));
        self.value(field.shape, &field.rules, Notes { doc: field.doc, after }, null)
    }

    fn forms(&mut self, union: &'static Union) -> Vec<Tree<'static>> {
        match union.tagging {
            Tagging::Internal(tag) => union.variants.iter().map(|form| self.tagged(tag, form)).collect(),
            Tagging::External => {
                let names = union.variants.iter().filter(|form| form.content.is_none());
                let mut forms = Vec::new();
                if names.clone().next().is_some() {
                    let mut schema = Vec::new();
                    push_description(
                        &mut schema,
                        describe("", &docs(names.clone().map(|form| (form.name, form.doc))), &[]),
                    );
                    schema.append(&mut enumerated(names.map(|form| form.name), false));
                    forms.push(Tree::Object(schema));
                }
                for form in union.variants {
                    forms.extend(form.content.map(|content| self.keyed(form, content)));
                }
                forms
            }
        }
    }

    fn tagged(&mut self, tag: &'static str, form: &'static Variant) -> Tree<'static> {
        let (doc, fields) = match form.content.map(|content| &content.get().kind) {
            Some(Kind::Object(object)) => (object.doc, object.fields),
            _ => ("", &[][..]),
        };
        let mut schema = Vec::new();
        push_description(&mut schema, if form.doc.is_empty() { doc } else { form.doc }.to_owned());
        schema.append(&mut self.object(fields, Some((tag, form.name))));
        Tree::Object(schema)
    }

    fn keyed(&mut self, form: &'static Variant, content: Link) -> Tree<'static> {
        let null = matches!(content.get().kind, Kind::Nullable(_));
        let value = self.value(content, &Rules::NONE, Notes::default(), null);
        let mut schema = Vec::new();
        push_description(&mut schema, form.doc.to_owned());
        schema.append(&mut closed(vec![(form.name.into(), value)], vec![Tree::Str(form.name.into())]));
        Tree::Object(schema)
    }
}

fn id(kind: &Kind) -> Option<u64> {
    match kind {
        Kind::Object(Object { id, .. }) | Kind::Union(Union { id, .. }) => Some(*id),
        _ => None,
    }
}

fn type_name(kind: &Kind) -> &'static str {
    match kind {
        Kind::Object(Object { name, .. }) | Kind::Union(Union { name, .. }) => name,
        other => other.name(),
    }
}

fn typed(name: &'static str, null: bool) -> Keywords {
    let name = Tree::Str(name.into());
    let value = if null { Tree::Array(vec![name, Tree::Str("null".into())]) } else { name };
    vec![("type".into(), value)]
}

/// One of these strings. Null is among them where it may be: a validator goes by the list alone.
fn enumerated(names: impl Iterator<Item = &'static str>, null: bool) -> Keywords {
    let mut values: Vec<_> = names.map(|name| Tree::Str(name.into())).collect();
    values.extend(null.then_some(Tree::Null));
    let mut keywords = typed("string", null);
    keywords.push(("enum".into(), Tree::Array(values)));
    keywords
}

/// A schema of its own, in place. What it says of itself gives way to what is said of the field.
fn json_schema(json: &Json) -> Keywords {
    match parse(json.schema) {
        Ok(Tree::Object(keywords)) => keywords
            .into_iter()
            .filter(|(key, _)| key != "$schema" && key != "title")
            .map(|(key, value)| (key, value.into_owned()))
            .collect(),
        // The text of a `serde_json::Value`, which is an object where it is not `true`: any value.
        _ => Keywords::new(),
    }
}

fn closed(properties: Keywords, required: Vec<Tree<'static>>) -> Keywords {
    let mut keywords = typed("object", false);
    keywords.push(("properties".into(), Tree::Object(properties)));
    keywords.push(("required".into(), Tree::Array(required)));
    keywords.push(("additionalProperties".into(), Tree::Bool(false)));
    keywords
}

fn any_of(mut forms: Vec<Tree<'static>>, null: bool) -> Tree<'static> {
    forms.extend(null.then(|| Tree::Object(typed("null", false))));
    Tree::Array(forms)
}

fn value_docs(list: &Enum) -> Vec<String> {
    docs(list.values.iter().map(|value| (value.name, value.doc)))
}

/// The documented names, a line each.
fn docs<'n>(names: impl Iterator<Item = (&'n str, &'n str)>) -> Vec<String> {
    names.filter(|(_, doc)| !doc.is_empty()).map(|(name, doc)| format!("\n- `{name}`: {doc}")).collect()
}

fn push_description(keywords: &mut Keywords, description: String) {
    if !description.is_empty() {
        keywords.push(("description".into(), Tree::Str(description.into())));
    }
}

/// Documentation, constraints in words and further sentences as one text. A constraint that begins with a line
/// break is a line of a list and stands as it is.
fn describe(doc: &str, constraints: &[String], after: &[String]) -> String {
    let (lines, constraints): (Vec<_>, Vec<_>) = constraints.iter().partition(|text| text.starts_with('\n'));
    let mut text = doc.trim_end().to_owned();
    lines.into_iter().for_each(|line| text.push_str(line));
    let text = text.trim_start_matches('\n').to_owned();
    let sentences = constraints.into_iter().map(|words| sentence(words)).chain(after.iter().cloned());
    sentences.fold(text, |mut text, sentence| {
        if !text.is_empty() {
            text.push(if text.contains('\n') { '\n' } else { ' ' });
        }
        text.push_str(&sentence);
        text
    })
}

/// Words with a capital and a full stop.
fn sentence(words: &str) -> String {
    let mut rest = words.chars();
    let first = rest.next().map(|first| first.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", rest.as_str())
}
