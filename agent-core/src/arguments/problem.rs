//! What is wrong with a value, in words that a model can act on.

use std::fmt::{self, Write as _};

use serde::{Deserialize, Serialize};

use super::tree::{Tree, Unclear};

/// One thing wrong with the arguments of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// The place, as a JSON pointer: `/lines/0/qty`; empty for the arguments as a whole. Cut to 200 bytes, then with `…`
    /// at its end, as keys may be the model's own.
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

/// Bytes of a text that is made of what the model wrote.
const MOST_BYTES: usize = 200;

/// Bytes of a hint, which may be the error of another crate and repeat what the model wrote.
const MOST_HINT_BYTES: usize = 400;

/// Problems that are listed; the rest is counted.
pub(crate) const LISTED: usize = 32;

impl Problem {
    /// The problem with each text that the model had a hand in cut, so that a wrong call is not answered by more than a
    /// person would read. What is expected is the schema's own text.
    pub(crate) fn cut(mut self) -> Self {
        shorten(&mut self.pointer, MOST_BYTES);
        shorten(&mut self.got, MOST_BYTES);
        self.hint.iter_mut().for_each(|hint| shorten(hint, MOST_HINT_BYTES));
        self
    }

    /// What stands in for the problems that are not listed.
    pub(crate) fn more(left_out: usize) -> Self {
        Self {
            pointer: String::new(),
            rule: "more".to_owned(),
            expected: "no further problems".to_owned(),
            got: format!("{left_out} more problems"),
            hint: Some("mend those listed first".to_owned()),
        }
    }

    /// What is wrong with a value of any form, which has no shape.
    pub(crate) fn unclear(unclear: Unclear) -> Self {
        let (rule, expected, got, hint) = match unclear {
            Unclear::Doubled(key) => ("doubled", format!("{} once", named(&key)), "more".to_owned(), "leave one out"),
            Unclear::Rounded(text) => (
                "decimal",
                "a number that a 64-bit float tells from its neighbours".to_owned(),
                text,
                "write fewer digits, or take a string",
            ),
        };
        Self { pointer: String::new(), rule: rule.to_owned(), expected, got, hint: Some(hint.to_owned()) }.cut()
    }
}

/// Cuts a text between characters; the mark of the cut counts.
fn shorten(text: &mut String, most: usize) {
    if text.len() > most {
        *text = shortened(text, most);
    }
}

fn shortened(text: &str, most: usize) -> String {
    const MARK: char = '…';
    let end = (0..=most - MARK.len_utf8()).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    let mut cut = text[..end].to_owned();
    cut.push(MARK);
    cut
}

/// A key that the model wrote, for a message.
pub(crate) fn named(key: &str) -> String {
    // Longer than every name that is likely, and short beside the rest of the message.
    const MOST: usize = 64;
    if key.len() > MOST { format!("`{}`", shortened(key, MOST)) } else { format!("`{key}`") }
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
    fn a_text_is_cut_between_characters_and_says_so() {
        for length in 0..300 {
            let text = "ä".repeat(length);
            let problem = Problem {
                pointer: text.clone(),
                rule: "type".to_owned(),
                expected: "a number".to_owned(),
                got: format!("a{text}"),
                hint: Some(text.clone()),
            };
            let cut = problem.clone().cut();
            assert!(cut.pointer.len() <= MOST_BYTES && cut.got.len() <= MOST_BYTES, "{cut}");
            assert_eq!(cut.pointer == problem.pointer, length * 2 <= MOST_BYTES);
            assert_eq!(cut.pointer.ends_with('…'), length * 2 > MOST_BYTES);
            assert!(cut.hint.unwrap().len() <= MOST_HINT_BYTES);
            assert!(named(&text).len() <= 66);
        }
    }

    #[test]
    fn a_long_value_is_cut_at_a_character() {
        let text = shown(&Tree::Str("ä".repeat(100).into()));
        assert_eq!(text.chars().count(), SHOWN + 1);
        assert!(text.ends_with("ä…"));
        assert_eq!(shown(&Tree::Int(12)), "12");
    }
}
