//! The patterns of tools, compiled to mean what they mean in ECMA-262.

use regex::Regex;

/// What ECMA-262's `.` matches: all but four line terminators. `regex` leaves out only the first of them.
const DOT: &str = r"[^\n\r\u{2028}\u{2029}]";

/// Each pattern of a shape, compiled once. A list, since a tool has few: comparing them costs less than a hash.
#[derive(Debug, Default)]
pub(super) struct Patterns(Vec<(&'static str, Regex)>);

impl Patterns {
    /// Compiles a pattern, if it is not yet there.
    pub(super) fn add(&mut self, pattern: &'static str) -> Result<(), String> {
        if self.get(pattern).is_none() {
            let regex =
                Regex::new(&translate(pattern)).map_err(|error| format!("the pattern is not valid: {error}"))?;
            self.0.push((pattern, regex));
        }
        Ok(())
    }

    /// Whether a pattern of the shape matches somewhere in the text.
    pub(super) fn matches(&self, pattern: &str, text: &str) -> bool {
        // Every pattern of the shape was added before any value is read; an unknown one matches nothing.
        self.get(pattern).is_some_and(|regex| regex.is_match(text))
    }

    fn get(&self, pattern: &str) -> Option<&Regex> {
        self.0.iter().find(|(known, _)| *known == pattern).map(|(_, regex)| regex)
    }
}

fn translate(pattern: &str) -> String {
    let mut out = String::with_capacity(pattern.len() + DOT.len());
    let (mut escaped, mut in_class) = (false, false);
    for character in pattern.chars() {
        match character {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '[' => in_class = true,
            ']' => in_class = false,
            '.' if !in_class => {
                out.push_str(DOT);
                continue;
            }
            _ => {}
        }
        out.push(character);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &'static str, text: &str) -> bool {
        let mut patterns = Patterns::default();
        patterns.add(pattern).unwrap();
        patterns.matches(pattern, text)
    }

    #[test]
    fn a_dot_matches_no_line_terminator_of_ecma_262() {
        for end in ["\n", "\r", "\u{2028}", "\u{2029}"] {
            assert!(!matches("^.$", end), "{end:?}");
        }
        assert!(matches("^.$", "é"));
        assert!(matches(r"^\.$", "."));
        assert!(!matches(r"^\.$", "x"));
        assert!(matches(r"^[\].]$", "."));
        assert!(!matches(r"^[\].]$", "x"));
    }

    #[test]
    fn a_pattern_matches_anywhere_and_a_dollar_only_at_the_very_end() {
        assert!(matches("b", "abc"));
        assert!(!matches("^[A-Z]{2}$", "UK\n"));
    }

    #[test]
    fn a_bad_pattern_is_an_error() {
        assert!(Patterns::default().add("(").is_err());
    }
}
