//! One of several forms.

use super::object::Entries;
use super::text::wrong_name;
use super::{Reader, Words, owned_by_shape};
use crate::arguments::problem::{Place, shown};
use crate::arguments::tree::Tree;
use crate::schema::{Kind, Rules, Tagging, Union, Variant};

impl Reader<'_> {
    pub(super) fn union<'a>(&mut self, tree: Tree<'a>, union: &'static Union, at: &Place<'_>) -> Tree<'a> {
        match (union.tagging, tree) {
            (Tagging::Internal(tag), Tree::Object(entries)) => self.tagged(tag, entries, union, at),
            (Tagging::External, Tree::Str(name)) => match find(union, &name) {
                Some(Variant { content: None, name, .. }) => Tree::Str(owned_by_shape(name)),
                Some(variant) => {
                    self.report(at, "type", || {
                        Words::new(format!("an object with the key `{}`", variant.name), shown(&Tree::Str(name)))
                    });
                    Tree::Null
                }
                None => self.unknown_form(&name, union, at),
            },
            (Tagging::External, Tree::Object(mut entries)) if entries.len() == 1 => match entries.pop() {
                Some((name, content)) => self.keyed(&name, content, union, at),
                // Cannot be: there is one.
                None => Tree::Null,
            },
            (Tagging::External, tree @ Tree::Object(_)) => {
                self.report(at, "anyOf", || Words::new("an object with one key, the name of the form", shown(&tree)));
                Tree::Null
            }
            (_, tree) => self.wrong_type(&tree, &Kind::Union(*union), at),
        }
    }

    /// `{"Variant": content}`.
    fn keyed<'a>(&mut self, name: &str, content: Tree<'a>, union: &'static Union, at: &Place<'_>) -> Tree<'a> {
        let Some(variant) = find(union, name) else { return self.unknown_form(name, union, at) };
        let Some(shape) = variant.content else {
            self.report(at, "type", || {
                Words::new(
                    format!("the string \"{}\"", variant.name),
                    format!("an object with the key `{}`", variant.name),
                )
            });
            return Tree::Null;
        };
        let content = self.value(content, shape, &Rules::NONE, &at.key(variant.name));
        Tree::Object(vec![(owned_by_shape(variant.name), content)])
    }

    /// `{"tag": "Variant", ..content}`.
    fn tagged<'a>(
        &mut self,
        tag: &'static str,
        mut entries: Entries<'a>,
        union: &'static Union,
        at: &Place<'_>,
    ) -> Tree<'a> {
        let Some(place) = entries.iter().position(|(key, _)| key == tag) else {
            self.report(&at.key(tag), "required", || Words::new("the name of a form", "nothing"));
            return Tree::Null;
        };
        let (_, name) = entries.remove(place);
        if entries.iter().any(|(key, _)| key == tag) {
            self.report(&at.key(tag), "doubled", || Words::new(format!("`{tag}` once"), "more").hint("leave one out"));
            return Tree::Null;
        }
        let Tree::Str(name) = name else {
            self.report(&at.key(tag), "type", || Words::new("the name of a form, a string", shown(&name)));
            return Tree::Null;
        };
        let Some(variant) = find(union, &name) else { return self.unknown_form(&name, union, &at.key(tag)) };
        let first = Some((tag, variant.name));
        match variant.content.map(|content| &content.get().kind) {
            Some(Kind::Object(object)) => Tree::Object(self.object(entries, object, first, at)),
            // Other content than a struct was refused with the shape, so this is a form without any.
            _ => {
                for (key, _) in &entries {
                    self.report(&at.key(key), "additionalProperties", || {
                        Words::new(format!("no field beside `{tag}`"), "a field").hint("leave it out")
                    });
                }
                Tree::Object(vec![(owned_by_shape(tag), Tree::Str(owned_by_shape(variant.name)))])
            }
        }
    }

    fn unknown_form(&mut self, name: &str, union: &'static Union, at: &Place<'_>) -> Tree<'static> {
        self.report(at, "enum", || wrong_name(name, union.variants.iter().map(|variant| variant.name)));
        Tree::Null
    }
}

fn find(union: &'static Union, name: &str) -> Option<&'static Variant> {
    union.variants.iter().find(|variant| variant.name == name || variant.aliases.contains(&name))
}
