//! A schema as the comparison sees it.

use crate::arguments::Tree;

/// One schema: its keywords, null taken out of what it is in a union with.
#[derive(Clone, Copy)]
pub(super) struct Schema<'t> {
    keywords: &'t [(std::borrow::Cow<'t, str>, Tree<'t>)],
    /// Whether null is valid beside what the keywords say.
    pub(super) null: bool,
    /// What it says of itself, where the keywords are those of a form in it.
    outer: &'t [(std::borrow::Cow<'t, str>, Tree<'t>)],
}

impl<'t> Schema<'t> {
    pub(super) fn of(tree: &'t Tree<'t>) -> Self {
        let keywords = match tree {
            Tree::Object(keywords) => keywords.as_slice(),
            _ => &[],
        };
        let plain = Self { keywords, null: false, outer: &[] };
        let Some(Tree::Array(forms)) = plain.get("anyOf") else {
            return Self { null: plain.types().contains(&"null"), ..plain };
        };
        let others: Vec<_> = forms.iter().filter(|form| !is_null(form)).collect();
        let null = others.len() < forms.len();
        match others.as_slice() {
            [Tree::Object(keywords)] => Self { keywords, null, outer: plain.keywords },
            _ => Self { null, ..plain },
        }
    }

    pub(super) fn get(&self, keyword: &str) -> Option<&'t Tree<'t>> {
        self.keywords.iter().find(|(key, _)| key == keyword).map(|(_, value)| value)
    }

    pub(super) fn keywords(&self) -> impl Iterator<Item = &'t str> {
        self.keywords.iter().map(|(key, _)| key.as_ref())
    }

    /// A keyword that says something of the schema, and asks nothing of values.
    pub(super) fn word(&self, keyword: &str) -> Option<&'t Tree<'t>> {
        let outer = self.outer.iter().find(|(key, _)| key == keyword).map(|(_, value)| value);
        outer.or(self.get(keyword))
    }

    pub(super) fn types(&self) -> Vec<&'t str> {
        strings(self.get("type"))
    }

    /// The values of `enum` or `const`, null left out; none where any value may be.
    pub(super) fn values(&self) -> Option<Vec<&'t Tree<'t>>> {
        let values = match (self.get("enum"), self.get("const")) {
            (Some(Tree::Array(values)), _) => values.iter().collect(),
            (_, Some(value)) => vec![value],
            _ => return None,
        };
        Some(values.into_iter().filter(|value| **value != Tree::Null).collect())
    }

    pub(super) fn properties(&self) -> &'t [(std::borrow::Cow<'t, str>, Tree<'t>)] {
        match self.get("properties") {
            Some(Tree::Object(properties)) => properties,
            _ => &[],
        }
    }

    pub(super) fn requires(&self, name: &str) -> bool {
        strings(self.get("required")).contains(&name)
    }

    /// The forms of a union, null left out.
    pub(super) fn forms(&self) -> Vec<&'t Tree<'t>> {
        match self.get("anyOf") {
            Some(Tree::Array(forms)) => forms.iter().filter(|form| !is_null(form)).collect(),
            _ => Vec::new(),
        }
    }

    /// What a form of a union is known by: the value of its tag, its only key, or its types.
    pub(super) fn form_name(&self) -> String {
        let properties = self.properties();
        let tag = properties.iter().find_map(|(_, property)| match Schema::of(property).values()?.as_slice() {
            [Tree::Str(name)] => Some(name.to_string()),
            _ => None,
        });
        match (tag, properties) {
            (Some(name), _) => name,
            (None, [(name, _)]) => name.to_string(),
            _ => self.types().join(" or "),
        }
    }
}

fn is_null(form: &Tree<'_>) -> bool {
    Schema::of(form).types() == ["null"]
}

/// A string, or a list of them.
fn strings<'t>(tree: Option<&'t Tree<'t>>) -> Vec<&'t str> {
    let of = |tree: &'t Tree<'t>| match tree {
        Tree::Str(text) => Some(text.as_ref()),
        _ => None,
    };
    match tree {
        Some(Tree::Array(items)) => items.iter().filter_map(of).collect(),
        Some(one) => of(one).into_iter().collect(),
        None => Vec::new(),
    }
}
