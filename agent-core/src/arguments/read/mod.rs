//! Checks a tree against its shape and brings it into one form, in one pass.

mod number;
mod object;
mod text;
mod union;

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::digest::encode;
use super::pattern::Patterns;
use super::problem::{LISTED, Place, Problem, shown};
use super::tree::Tree;
use crate::schema::{Array, Json, Kind, Link, Rules, words};

/// Deepest place that is walked. JSON text cannot be that deep; a default that contains itself could.
const DEEPEST: u32 = 160;

/// One pass over the arguments of one call.
///
/// Every method takes a value and gives it back normalised. With a problem what it gives back means
/// nothing: it is thrown away with the rest.
pub(super) struct Reader<'v> {
    patterns: &'v Patterns,
    problems: Vec<Problem>,
    left_out: usize,
    too_deep: bool,
}

impl<'v> Reader<'v> {
    pub(super) fn new(patterns: &'v Patterns) -> Self {
        Self { patterns, problems: Vec::new(), left_out: 0, too_deep: false }
    }

    /// The problems, if there are any.
    pub(super) fn finish(mut self) -> Option<Vec<Problem>> {
        if self.left_out > 0 {
            self.problems.push(Problem::more(self.left_out));
        }
        (!self.problems.is_empty()).then_some(self.problems)
    }

    /// Notes a problem; its words are made only if it is listed.
    fn report(&mut self, at: &Place<'_>, rule: &str, words: impl FnOnce() -> Words) {
        if self.problems.len() == LISTED {
            self.left_out += 1;
            return;
        }
        let Words { expected, got, hint } = words();
        self.problems.push(Problem { pointer: at.pointer(), rule: rule.to_owned(), expected, got, hint }.cut());
    }

    /// The value of this shape.
    pub(super) fn value<'a>(&mut self, tree: Tree<'a>, shape: Link, rules: &Rules, at: &Place<'_>) -> Tree<'a> {
        if self.too_deep {
            return Tree::Null;
        }
        if at.depth() > DEEPEST {
            self.too_deep = true;
            self.report(at, "depth", || Words::new("less nesting", format!("more than {DEEPEST} levels")));
            return Tree::Null;
        }
        match (&shape.get().kind, tree) {
            (Kind::Bool, Tree::Bool(value)) => Tree::Bool(value),
            (Kind::Integer(integer), tree) => self.integer(tree, integer, rules, at),
            (Kind::Number(number), tree) => self.number(tree, *number, rules, at),
            (Kind::Text(text), Tree::Str(value)) => self.text(value, text, rules, at),
            (Kind::Enum(list), Tree::Str(value)) => self.enumerated(&value, list, at),
            (Kind::Array(array), Tree::Array(items)) => self.array(items, array, rules, at),
            (Kind::Nullable(_), Tree::Null) => Tree::Null,
            (Kind::Nullable(inner), tree) => self.value(tree, *inner, rules, at),
            (Kind::Object(object), Tree::Object(entries)) => Tree::Object(self.object(entries, object, None, at)),
            (Kind::Union(union), tree) => self.union(tree, union, at),
            (Kind::Json(json), tree) => self.json(tree, json, at),
            (kind, tree) => self.wrong_type(&tree, kind, at),
        }
    }

    /// A value that its own schema takes. It stays as it came but for the order of keys, which says nothing there.
    fn json<'a>(&mut self, tree: Tree<'a>, json: &Json, at: &Place<'_>) -> Tree<'a> {
        let (tree, problems) = match tree.sorted() {
            Ok(tree) => {
                let problems = (json.judge)(&tree.to_value());
                (tree, problems)
            }
            Err(unclear) => (Tree::Null, vec![Problem::unclear(unclear)]),
        };
        for problem in problems {
            if self.problems.len() == LISTED {
                self.left_out += 1;
            } else {
                self.problems.push(Problem { pointer: at.pointer() + &problem.pointer, ..problem }.cut());
            }
        }
        tree
    }

    fn wrong_type(&mut self, tree: &Tree<'_>, kind: &Kind, at: &Place<'_>) -> Tree<'static> {
        self.report(at, "type", || Words {
            expected: kind.name().to_owned(),
            got: shown(tree),
            hint: type_hint(kind, tree),
        });
        Tree::Null
    }

    fn array<'a>(&mut self, items: Vec<Tree<'a>>, array: &Array, rules: &Rules, at: &Place<'_>) -> Tree<'a> {
        let (least, most) = words::item_limits(array, rules);
        let count = items.len() as u64;
        if let Some(least) = least.filter(|least| count < *least) {
            self.report(at, "minItems", || Words::new(words::min_items(least), format!("{count} items")));
        }
        if let Some(most) = most.filter(|most| count > *most) {
            self.report(at, "maxItems", || Words::new(words::max_items(most), format!("{count} items")));
        }
        let problems = self.problems.len() + self.left_out;
        let mut items: Vec<_> = items
            .into_iter()
            .enumerate()
            .map(|(index, item)| self.value(item, array.item, &Rules::NONE, &at.index(index)))
            .collect();
        // Items that are wrong themselves were replaced, so they cannot be compared.
        if array.unique && problems == self.problems.len() + self.left_out {
            items = self.unique(items, at);
        }
        Tree::Array(items)
    }

    /// The items of a set, in the one order that a set has: another spelling of it is the same call.
    fn unique<'t>(&mut self, items: Vec<Tree<'t>>, at: &Place<'_>) -> Vec<Tree<'t>> {
        let mut ordered = BTreeMap::new();
        for (index, item) in items.into_iter().enumerate() {
            let mut bytes = Vec::new();
            encode(&item, &mut bytes);
            if let Some(item) = ordered.insert(bytes, item) {
                self.report(&at.index(index), "uniqueItems", || Words {
                    expected: words::UNIQUE.to_owned(),
                    got: shown(&item),
                    hint: Some("leave out the repetition".to_owned()),
                });
            }
        }
        ordered.into_values().collect()
    }
}

/// What a problem says.
struct Words {
    expected: String,
    got: String,
    hint: Option<String>,
}

impl Words {
    fn new(expected: impl Into<String>, got: impl Into<String>) -> Self {
        Self { expected: expected.into(), got: got.into(), hint: None }
    }

    fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }
}

/// How a value of the wrong type is mended, for the mistakes that models make.
fn type_hint(kind: &Kind, tree: &Tree<'_>) -> Option<String> {
    match (kind, tree) {
        (Kind::Bool, Tree::Str(text)) if matches!(text.trim(), "true" | "false") => {
            Some(format!("write {} without quotes", text.trim()))
        }
        (Kind::Integer(_) | Kind::Number(_), Tree::Str(text)) if is_number(text.trim()) => {
            Some(format!("write {} without quotes", text.trim()))
        }
        (Kind::Array(_) | Kind::Object(_) | Kind::Union(_), Tree::Str(text))
            if text.trim_start().starts_with(['{', '[']) =>
        {
            Some("write the JSON itself, not a string that holds it".to_owned())
        }
        (
            Kind::Text(_) | Kind::Enum(_),
            Tree::Bool(_) | Tree::Int(_) | Tree::Uint(_) | Tree::Float(_) | Tree::Digits { .. },
        ) => Some("write it in quotes".to_owned()),
        (Kind::Array(_), tree) if !matches!(tree, Tree::Null) => Some("write a list, even of one item".to_owned()),
        _ => None,
    }
}

/// Whether the text is short and, without its quotes, a JSON number.
fn is_number(text: &str) -> bool {
    text.len() <= 40
        && matches!(super::parse::parse(text), Ok(Tree::Int(_) | Tree::Uint(_) | Tree::Float(_) | Tree::Digits { .. }))
}

/// Names for a message, cut where there are many.
fn list<'n>(names: impl Iterator<Item = &'n str>) -> String {
    const MOST: usize = 20;
    let names: Vec<_> = names.collect();
    let mut text = names.iter().take(MOST).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    if names.len() > MOST {
        text.push_str(&format!(" and {} more", names.len() - MOST));
    }
    text
}

/// Says which of some names was meant.
fn did_you_mean(name: &str) -> String {
    format!("did you mean `{name}`?")
}

/// A name of the shape, as the key or value of a normalised tree.
fn owned_by_shape<'a>(name: &'static str) -> Cow<'a, str> {
    Cow::Borrowed(name)
}
