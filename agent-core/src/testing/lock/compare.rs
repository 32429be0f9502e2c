//! What is different, and whether arguments that were valid may no longer be.

use std::collections::BTreeSet;

use super::Change;
use super::schema::Schema;
use super::text::Locked;
use crate::arguments::Tree;

pub(super) fn tools(old: &[Locked], new: &[Locked]) -> Vec<Change> {
    let mut changes = Vec::new();
    for tool in old {
        let mut found = Compare { tool: &tool.name, changes: &mut changes };
        match new.iter().find(|other| other.name == tool.name) {
            None => found.breaks("", "the tool is gone"),
            Some(now) => {
                if now.description != tool.description {
                    found.fine("", "its description is another");
                }
                match (tool.strict, now.strict) {
                    (true, false) => found.fine("", "providers no longer hold the model to its schema (`strict`)"),
                    (false, true) => found.fine("", "providers hold the model to its schema now (`strict`)"),
                    _ => {}
                }
                found.schema(&tool.parameters, &now.parameters, "");
            }
        }
    }
    for tool in new.iter().filter(|tool| old.iter().all(|other| other.name != tool.name)) {
        Compare { tool: &tool.name, changes: &mut changes }.fine("", "the tool is new");
    }
    let has = |tools: &[Locked], name: &str| tools.iter().any(|tool| tool.name == name);
    let was = old.iter().filter(|tool| has(new, &tool.name));
    let is = new.iter().filter(|tool| has(old, &tool.name));
    if let Some((_, first)) = was.zip(is).find(|(was, is)| was.name != is.name) {
        Compare { tool: &first.name, changes: &mut changes }.fine("", "from here on the tools come in another order");
    }
    changes
}

struct Compare<'c> {
    tool: &'c str,
    changes: &'c mut Vec<Change>,
}

/// Keywords that are compared by functions of their own, or not at all.
const KNOWN: [&str; 25] = [
    "type",
    "enum",
    "const",
    "properties",
    "required",
    "items",
    "anyOf",
    "$defs",
    "description",
    "default",
    "title",
    "examples",
    "$schema",
    "minimum",
    "exclusiveMinimum",
    "minLength",
    "minItems",
    "maximum",
    "exclusiveMaximum",
    "maxLength",
    "maxItems",
    "uniqueItems",
    "pattern",
    "format",
    "$comment",
];
const LEAST: [&str; 4] = ["minimum", "exclusiveMinimum", "minLength", "minItems"];
const MOST: [&str; 4] = ["maximum", "exclusiveMaximum", "maxLength", "maxItems"];

impl Compare<'_> {
    fn breaks(&mut self, place: &str, what: impl Into<String>) {
        self.change(place, what.into(), true);
    }

    fn fine(&mut self, place: &str, what: impl Into<String>) {
        self.change(place, what.into(), false);
    }

    fn change(&mut self, place: &str, what: String, breaks: bool) {
        self.changes.push(Change { tool: self.tool.to_owned(), place: place.to_owned(), what, breaks });
    }

    fn schema(&mut self, old: &Tree<'_>, new: &Tree<'_>, place: &str) {
        if old == new {
            return;
        }
        let (old, new) = (Schema::of(old), Schema::of(new));
        if !self.types(&old, &new, place) {
            return;
        }
        self.values(&old, &new, place);
        self.bounds(&old, &new, place);
        self.properties(&old, &new, place);
        self.forms(&old, &new, place);
        match (old.get("items"), new.get("items")) {
            (Some(old), Some(new)) => self.schema(old, new, &format!("{place}[]")),
            (None, Some(_)) => self.breaks(place, "its items have a schema now"),
            (Some(_), None) => self.fine(place, "its items may be anything now"),
            (None, None) => {}
        }
        self.definitions(&old, &new);
        self.others(&old, &new, place);
        for word in ["description", "title", "examples"] {
            if old.word(word) != new.word(word) {
                let (is, other) = if word == "examples" { ("are", "others") } else { ("is", "another") };
                self.fine(place, format!("its {word} {is} {other}"));
            }
        }
        if old.get("default") != new.get("default") {
            let was = old.get("default").map_or_else(|| "none".to_owned(), Tree::to_string);
            let is = new.get("default").map_or_else(|| "none".to_owned(), Tree::to_string);
            self.fine(place, format!("its default was {was} and is {is}"));
        }
    }

    /// False where the two are too different to be compared further.
    fn types(&mut self, old: &Schema<'_>, new: &Schema<'_>, place: &str) -> bool {
        let kinds = |schema: &Schema<'_>| -> BTreeSet<String> {
            let mut kinds: BTreeSet<_> = schema.types().into_iter().map(str::to_owned).collect();
            if let Some(target) = schema.get("$ref") {
                kinds.insert(format!("a reference to {target}"));
            }
            if !schema.forms().is_empty() {
                kinds.insert("one of several forms".to_owned());
            }
            kinds.remove("null");
            kinds
        };
        let (was, is) = (kinds(old), kinds(new));
        let takes = |kind: &String| is.contains(kind) || (kind == "integer" && is.contains("number"));
        let named = |kinds: &BTreeSet<String>| kinds.iter().map(String::as_str).collect::<Vec<_>>().join(" or ");
        if !was.iter().all(takes) {
            self.breaks(place, format!("its type was {} and is {}", named(&was), named(&is)));
            return false;
        }
        if was != is {
            self.fine(place, format!("its type was {} and is {}", named(&was), named(&is)));
        }
        match (old.null, new.null) {
            (true, false) => self.breaks(place, "null is no longer valid"),
            (false, true) => self.fine(place, "null is valid now"),
            _ => {}
        }
        true
    }

    fn values(&mut self, old: &Schema<'_>, new: &Schema<'_>, place: &str) {
        match (old.values(), new.values()) {
            (None, Some(_)) => self.breaks(place, "only listed values are valid now"),
            (Some(_), None) => self.fine(place, "any value of its type is valid now"),
            (Some(was), Some(is)) => {
                for gone in was.iter().filter(|value| !is.contains(value)) {
                    self.breaks(place, format!("the value {gone} is gone"));
                }
                for added in is.iter().filter(|value| !was.contains(value)) {
                    self.fine(place, format!("the value {added} is new"));
                }
                if in_another_order(&was, &is) {
                    self.fine(place, "its values come in another order");
                }
            }
            (None, None) => {}
        }
    }

    fn bounds(&mut self, old: &Schema<'_>, new: &Schema<'_>, place: &str) {
        for keyword in LEAST {
            self.bound(keyword, old, new, place, |was, is| is > was);
        }
        for keyword in MOST {
            self.bound(keyword, old, new, place, |was, is| is < was);
        }
        for keyword in ["pattern", "format", "uniqueItems"] {
            match (old.get(keyword), new.get(keyword)) {
                (was, Some(is)) if was != Some(is) => self.breaks(place, format!("its {keyword} is {is} now")),
                (Some(was), None) => self.fine(place, format!("its {keyword} {was} is gone")),
                _ => {}
            }
        }
    }

    fn bound(&mut self, keyword: &str, old: &Schema<'_>, new: &Schema<'_>, place: &str, tighter: fn(f64, f64) -> bool) {
        match (old.get(keyword), new.get(keyword)) {
            (Some(was), Some(is)) if was != is => {
                let breaks = match (number(was), number(is)) {
                    (Some(a), Some(b)) => tighter(a, b),
                    _ => true,
                };
                self.change(place, format!("its {keyword} was {was} and is {is}"), breaks);
            }
            (None, Some(is)) => self.breaks(place, format!("it has the {keyword} {is} now")),
            (Some(was), None) => self.fine(place, format!("its {keyword} {was} is gone")),
            _ => {}
        }
    }

    fn properties(&mut self, old: &Schema<'_>, new: &Schema<'_>, place: &str) {
        let at = |name: &str| if place.is_empty() { name.to_owned() } else { format!("{place}.{name}") };
        let find = |schema: &Schema<'_>, name: &str| schema.properties().iter().any(|(other, _)| other == name);
        for (name, was) in old.properties() {
            match new.properties().iter().find(|(other, _)| other == name) {
                None => self.breaks(&at(name), "it is gone"),
                Some((_, is)) => {
                    match (old.requires(name), new.requires(name)) {
                        (false, true) => self.breaks(&at(name), "it is required now"),
                        (true, false) => self.fine(&at(name), "it is optional now"),
                        _ => {}
                    }
                    self.schema(was, is, &at(name));
                }
            }
        }
        for (name, _) in new.properties().iter().filter(|(name, _)| !find(old, name)) {
            match new.requires(name) {
                true => self.breaks(&at(name), "it is new and required"),
                false => self.fine(&at(name), "it is new and optional"),
            }
        }
        let names = |schema: &Schema<'_>| -> Vec<String> {
            schema.properties().iter().map(|(name, _)| name.to_string()).collect()
        };
        if in_another_order(&names(old), &names(new)) {
            self.fine(place, "its properties come in another order");
        }
    }

    fn forms(&mut self, old: &Schema<'_>, new: &Schema<'_>, place: &str) {
        let named = |schema: &Schema<'_>| -> Vec<(String, Tree<'static>)> {
            let forms = schema.forms().into_iter();
            forms.map(|form| (Schema::of(form).form_name(), form.clone().into_owned())).collect()
        };
        let (was, is) = (named(old), named(new));
        for (name, form) in &was {
            match is.iter().find(|(other, _)| other == name) {
                None => self.breaks(place, format!("the form {name} is gone")),
                Some((_, now)) => self.schema(form, now, &format!("{place}<{name}>")),
            }
        }
        for (name, _) in is.iter().filter(|(name, _)| was.iter().all(|(other, _)| other != name)) {
            self.fine(place, format!("the form {name} is new"));
        }
        let names =
            |forms: Vec<(String, Tree<'static>)>| -> Vec<String> { forms.into_iter().map(|(name, _)| name).collect() };
        if in_another_order(&names(was), &names(is)) {
            self.fine(place, "its forms come in another order");
        }
    }

    /// Types that contain themselves. One that is gone is no longer referred to, which is told there.
    fn definitions(&mut self, old: &Schema<'_>, new: &Schema<'_>) {
        let (Some(Tree::Object(was)), Some(Tree::Object(is))) = (old.get("$defs"), new.get("$defs")) else { return };
        for (name, old) in was {
            if let Some((_, new)) = is.iter().find(|(other, _)| other == name) {
                self.schema(old, new, name);
            }
        }
    }

    /// Keywords whose sense is not known here: in a tool with a schema of its own.
    fn others(&mut self, old: &Schema<'_>, new: &Schema<'_>, place: &str) {
        let keywords: BTreeSet<_> = old.keywords().chain(new.keywords()).filter(|word| !KNOWN.contains(word)).collect();
        for keyword in keywords {
            match (old.get(keyword), new.get(keyword)) {
                (was, Some(is)) if was != Some(is) => self.breaks(place, format!("its {keyword} is {is} now")),
                (Some(was), None) => self.fine(place, format!("its {keyword} {was} is gone")),
                _ => {}
            }
        }
    }
}

/// Whether what both have does not come in the same order.
fn in_another_order<T: PartialEq>(was: &[T], is: &[T]) -> bool {
    let kept = was.iter().filter(|one| is.contains(one));
    !kept.eq(is.iter().filter(|one| was.contains(one)))
}

fn number(tree: &Tree<'_>) -> Option<f64> {
    match tree {
        Tree::Int(value) => Some(*value as f64),
        Tree::Uint(value) => Some(*value as f64),
        Tree::Float(value) | Tree::Digits { near: value, .. } => Some(*value),
        _ => None,
    }
}
