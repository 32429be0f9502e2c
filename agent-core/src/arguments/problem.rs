//! What is wrong with a value, in words that a model can act on.

use std::fmt::{self, Write as _};

use serde::{Deserialize, Serialize};

use super::tree::Tree;

/// One thing wrong with the arguments of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// The place, as a JSON pointer: `/lines/0/qty`; empty for the arguments as a whole.
    pub pointer: String,
    /// The rule that is broken: a JSON Schema keyword (`minimum`, `type`, `required`, ..), `doubled` for
    /// a field that comes twice, `more` for the problems that were left out.
    pub rule: String,
    /// What would be right: "at least 1".
    pub expected: String,
    /// What came, cut to 64 characters: "0".
    pub got: String,
    /// How to mend it, where that can be said: the nearest name, the right case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.pointer.is_empty() { "the arguments" } else { &self.pointer };
        write!(f, "{place}: expected {}, got {}", self.expected, self.got)?;
        self.hint.iter().try_for_each(|hint| write!(f, " ({hint})"))
    }
}

/// Characters of a refused value that are shown.
const SHOWN: usize = 64;

/// A value as JSON text, cut.
pub(crate) fn shown(tree: &Tree<'_>) -> String {
    let mut cut = Cut { text: String::new(), left: SHOWN };
    // An error here means only that the text was cut.
    if write!(cut, "{tree}").is_err() {
        cut.text.push('…');
    }
    cut.text
}

struct Cut {
    text: String,
    left: usize,
}

impl fmt::Write for Cut {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for character in text.chars() {
            self.left = self.left.checked_sub(1).ok_or(fmt::Error)?;
            self.text.push(character);
        }
        Ok(())
    }
}

/// A place in the arguments, kept on the stack while they are walked.
#[derive(Clone, Copy)]
pub(crate) struct Place<'p> {
    up: Option<&'p Place<'p>>,
    step: Step<'p>,
    depth: u32,
}

#[derive(Clone, Copy)]
enum Step<'p> {
    Root,
    Key(&'p str),
    Index(usize),
}

impl<'p> Place<'p> {
    pub(crate) const ROOT: Self = Self { up: None, step: Step::Root, depth: 0 };

    pub(crate) fn key<'c>(&'c self, key: &'c str) -> Place<'c>
    where
        'p: 'c,
    {
        Place { up: Some(self), step: Step::Key(key), depth: self.depth + 1 }
    }

    pub(crate) fn index<'c>(&'c self, index: usize) -> Place<'c>
    where
        'p: 'c,
    {
        Place { up: Some(self), step: Step::Index(index), depth: self.depth + 1 }
    }

    pub(crate) fn depth(&self) -> u32 {
        self.depth
    }

    /// The place as a JSON pointer (RFC 6901).
    pub(crate) fn pointer(&self) -> String {
        let mut pointer = self.up.map(Place::pointer).unwrap_or_default();
        match self.step {
            Step::Root => {}
            Step::Key(key) => push_key(&mut pointer, key),
            Step::Index(index) => {
                pointer.push('/');
                pointer.push_str(&index.to_string());
            }
        }
        pointer
    }
}

/// Adds one key to a JSON pointer.
pub(crate) fn push_key(pointer: &mut String, key: &str) {
    pointer.push('/');
    for character in key.chars() {
        match character {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            other => pointer.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pointers_escape_as_rfc_6901_says() {
        let lines = Place::ROOT.key("a/b~c");
        assert_eq!(lines.index(0).key("qty").pointer(), "/a~1b~0c/0/qty");
        assert_eq!(Place::ROOT.pointer(), "");
    }

    #[test]
    fn a_long_value_is_cut_at_a_character() {
        let text = shown(&Tree::Str("ä".repeat(100).into()));
        assert_eq!(text.chars().count(), SHOWN + 1);
        assert!(text.ends_with("ä…"));
        assert_eq!(shown(&Tree::Int(12)), "12");
    }
}
