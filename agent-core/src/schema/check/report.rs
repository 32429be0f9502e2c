//! A message that a constant can build.

use super::same;

/// What a check found; nothing where all is well.
#[derive(Clone, Copy)]
pub struct Report {
    text: [u8; Self::MOST],
    len: usize,
    failed: bool,
    /// What tells one mistake from another: two providers may refuse the same one. Empty where it is not a provider's.
    rule: &'static str,
}

impl std::fmt::Debug for Report {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Report").field(&self.text()).finish()
    }
}

impl Report {
    const MOST: usize = 768;

    /// All is well.
    pub const FINE: Self = Self { text: [0; Self::MOST], len: 0, failed: false, rule: "" };

    /// A mistake that is yet to be described.
    pub(super) const WRONG: Self = Self { text: [0; Self::MOST], len: 0, failed: true, rule: "" };

    /// Whether something is wrong.
    pub const fn failed(&self) -> bool {
        self.failed
    }

    /// What is wrong.
    pub const fn text(&self) -> &str {
        match std::str::from_utf8(self.text.split_at(self.len).0) {
            Ok(text) => text,
            // `add` cuts between characters only.
            Err(_) => "",
        }
    }

    /// Says which rule of a provider it is about.
    pub(super) const fn about(mut self, rule: &'static str) -> Self {
        self.rule = rule;
        self
    }

    /// Whether both are about one rule.
    pub(super) const fn is_as(&self, other: &Self) -> bool {
        self.failed && other.failed && same(self.rule, other.rule)
    }

    /// Adds words; what does not fit is cut.
    pub(super) const fn add(mut self, words: &str) -> Self {
        let words = words.as_bytes();
        let mut end = if self.len + words.len() <= Self::MOST { words.len() } else { Self::MOST - self.len };
        while end < words.len() && end > 0 && words[end] & 0xC0 == 0x80 {
            end -= 1;
        }
        let mut i = 0;
        while i < end {
            self.text[self.len + i] = words[i];
            i += 1;
        }
        self.len += end;
        self
    }

    /// Adds a name in backticks.
    pub(super) const fn name(self, name: &str) -> Self {
        self.add("`").add(name).add("`")
    }

    /// Adds a whole number.
    pub(super) const fn number(self, number: i128) -> Self {
        let mut digits = [0u8; 40];
        let mut at = digits.len();
        let mut rest = number.unsigned_abs();
        loop {
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        if number < 0 {
            at -= 1;
            digits[at] = b'-';
        }
        match std::str::from_utf8(digits.split_at(at).1) {
            Ok(text) => self.add(text),
            Err(_) => self,
        }
    }
}
