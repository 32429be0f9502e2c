//! Text that cannot become anything but text.

use std::fmt::Write as _;

/// A page in the making. What is not written in this crate's own source goes through [`text`](Self::text).
#[derive(Default)]
pub(super) struct Html {
    page: String,
}

impl Html {
    /// Markup, which only this source has.
    pub(super) fn raw(&mut self, markup: &'static str) -> &mut Self {
        self.page.push_str(markup);
        self
    }

    /// Anything else, in an element. Characters that cannot be seen, or that turn the order of others around, are shown
    /// by their number.
    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        for character in text.chars() {
            match escaped(character) {
                Some(escape) => self.page.push_str(escape),
                None if is_hidden(character) => {
                    // Writing into a string cannot fail.
                    let _ = write!(self.page, "<span class=ctl>U+{:04X}</span>", u32::from(character));
                }
                None => self.page.push(character),
            }
        }
        self
    }

    /// A whole number, with its thousands apart.
    pub(super) fn count(&mut self, number: u64) -> &mut Self {
        let text = counted(number);
        self.text(&text)
    }

    /// A whole number in an identifier.
    pub(super) fn count_plain(&mut self, number: usize) -> &mut Self {
        let _ = write!(self.page, "{number}");
        self
    }

    /// A part of a whole, as a percentage for a style.
    pub(super) fn percent(&mut self, part: f64) -> &mut Self {
        let part = if part.is_finite() { part.clamp(0.0, 1.0) } else { 0.0 };
        let _ = write!(self.page, "{:.3}%", part * 100.0);
        self
    }

    pub(super) fn into_string(self) -> String {
        self.page
    }
}

fn escaped(character: char) -> Option<&'static str> {
    Some(match character {
        '&' => "&amp;",
        '<' => "&lt;",
        '>' => "&gt;",
        '"' => "&quot;",
        '\'' => "&#39;",
        _ => return None,
    })
}

/// Control characters, and format characters that have no place in honest text. The joiners of scripts and emoji stay.
fn is_hidden(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}' => true,
        '\u{2028}' | '\u{2029}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}' => true,
        other => other.is_control(),
    }
}

/// `12,345`
pub(super) fn counted(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_is_text_is_markup() {
        let mut html = Html::default();
        html.text("<script>&'\"").text("\"><img onerror=x>");
        assert_eq!(html.into_string(), "&lt;script&gt;&amp;&#39;&quot;&quot;&gt;&lt;img onerror=x&gt;");
    }

    #[test]
    fn what_cannot_be_seen_is_shown_by_its_number() {
        let mut html = Html::default();
        html.text("a\u{202E}b\u{0}\n👩\u{200D}🚀");
        assert_eq!(html.into_string(), "a<span class=ctl>U+202E</span>b<span class=ctl>U+0000</span>\n👩\u{200D}🚀");
    }

    #[test]
    fn thousands_stand_apart() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(counted), ["0", "999", "1,000", "1,234,567"]);
    }
}
