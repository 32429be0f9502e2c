//! Strings, and enums of strings.

use std::borrow::Cow;

use super::{Reader, Words, did_you_mean, list, owned_by_shape};
use crate::arguments::format;
use crate::arguments::nearest::nearest;
use crate::arguments::problem::{Place, shown};
use crate::arguments::tree::Tree;
use crate::schema::{Enum, Rules, Text, words};

/// Characters of a type's own error that are shown; some repeat the value.
const LONGEST_HINT: usize = 160;

impl Reader<'_> {
    pub(super) fn text<'a>(&mut self, value: Cow<'a, str>, text: &Text, rules: &Rules, at: &Place<'_>) -> Tree<'a> {
        // What the rules ask of a value is asked of its one form: the tool sees no other.
        let (value, unread) = match text.reads.map(|reads| reads(&value)) {
            Some(Ok(Some(own))) => (Cow::Owned(own), None),
            Some(Err(error)) => (value, Some(error)),
            Some(Ok(None)) | None => (value, None),
        };
        let (least, most) = words::length_limits(text, rules);
        let length = if least.or(most).is_some() { value.chars().count() as u64 } else { 0 };
        let tree = Tree::Str(value);
        let Tree::Str(value) = &tree else { return tree };
        if let Some(error) = unread {
            self.report(at, "format", || {
                let expected = text.words.map(str::to_owned).or_else(|| text.format.map(words::format));
                let expected = expected.unwrap_or_else(|| "text that the tool can read".to_owned());
                Words::new(expected, shown(&tree)).hint(error.chars().take(LONGEST_HINT).collect::<String>())
            });
            return tree;
        }
        if let Some(least) = least.filter(|least| length < *least) {
            self.report(at, "minLength", || Words::new(words::min_length(least), shown(&tree)));
        }
        if let Some(most) = most.filter(|most| length > *most) {
            self.report(at, "maxLength", || {
                Words::new(words::max_length(most), shown(&tree)).hint(format!("it has {length} characters"))
            });
        }
        if let Some(pattern) = rules.pattern.filter(|pattern| !self.patterns.matches(pattern, value)) {
            self.report(at, "pattern", || Words::new(words::pattern(pattern), shown(&tree)));
        }
        let own = text.format.filter(|_| text.reads.is_none());
        for format in rules.format.into_iter().chain(own).filter(|format| !has_format(value, format)) {
            self.report(at, "format", || Words::new(words::format(format), shown(&tree)));
        }
        tree
    }

    pub(super) fn enumerated<'a>(&mut self, value: &str, list_of: &Enum, at: &Place<'_>) -> Tree<'a> {
        let known = list_of.values.iter().find(|known| known.name == value || known.aliases.contains(&value));
        if let Some(known) = known {
            return Tree::Str(owned_by_shape(known.name));
        }
        self.report(at, "enum", || wrong_name(value, list_of.values.iter().map(|known| known.name)));
        Tree::Null
    }
}

/// What is said of a name that is none of those expected.
pub(super) fn wrong_name<'n>(value: &str, names: impl Iterator<Item = &'n str> + Clone) -> Words {
    let same_letters = names.clone().find(|name| name.to_lowercase() == value.to_lowercase());
    let hint = match same_letters {
        Some(name) => Some(format!("upper and lower case count: write `{name}`")),
        None => nearest(value, names.clone()).map(did_you_mean),
    };
    Words { hint, ..Words::new(format!("one of {}", list(names)), shown(&Tree::Str(value.into()))) }
}

/// Whether the text has the format; a format that is not known was refused with the shape.
fn has_format(text: &str, format: &str) -> bool {
    format::check(format).is_none_or(|check| check(text))
}
