//! JSON with line breaks, every other character as it was.

use serde_json::value::RawValue;

/// Text beyond this is cut in a report.
const MOST: usize = 256 * 1024;

/// JSON text indented, other text as it is; and how many bytes were cut off.
pub(super) fn pretty(text: &str) -> (String, usize) {
    let (shown, cut) = cut(text);
    if cut == 0 && serde_json::from_str::<&RawValue>(text).is_ok() {
        return (indented(text), 0);
    }
    (shown.to_owned(), cut)
}

/// Text cut at a character, and how many bytes were cut off.
pub(super) fn cut(text: &str) -> (&str, usize) {
    let end = (0..=MOST.min(text.len())).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    (&text[..end], text.len() - end)
}

/// Numbers and strings keep their digits and escapes, which a parsed value would not.
fn indented(json: &str) -> String {
    let mut out = String::with_capacity(json.len() * 2);
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    let mut characters = json.chars().peekable();
    while let Some(character) = characters.next() {
        if in_string {
            out.push(character);
            (in_string, escaped) = (escaped || character != '"', !escaped && character == '\\');
            continue;
        }
        match character {
            '{' | '[' => {
                while characters.next_if(|next| next.is_ascii_whitespace()).is_some() {}
                out.push(character);
                if let Some(close) = characters.next_if(|next| matches!(next, '}' | ']')) {
                    out.push(close);
                } else {
                    depth += 1;
                    line(&mut out, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                line(&mut out, depth);
                out.push(character);
            }
            ',' => {
                out.push(',');
                line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            '"' => {
                in_string = true;
                out.push('"');
            }
            space if space.is_ascii_whitespace() => {}
            other => out.push(other),
        }
    }
    out
}

fn line(out: &mut String, depth: usize) {
    out.push('\n');
    // Deeper than this, it would be mostly blanks.
    out.extend(std::iter::repeat_n("  ", depth.min(40)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_indented_and_keeps_its_characters() {
        let (text, _) = pretty(r#"{"a" : [1.50,{"b":"x, {\"y\"}: \\"}],"c":{ },"d":[]}"#);
        let expected = r#"{
  "a": [
    1.50,
    {
      "b": "x, {\"y\"}: \\"
    }
  ],
  "c": {},
  "d": []
}"#;
        assert_eq!(text, expected);
    }

    #[test]
    fn what_is_no_json_stays_as_it_is() {
        assert_eq!(pretty("{\"a\":").0, "{\"a\":");
        assert_eq!(pretty("a, b").0, "a, b");
    }

    #[test]
    fn long_text_is_cut_at_a_character() {
        let (text, left) = pretty(&"ä".repeat(MOST));
        assert_eq!((text.len(), left), (MOST, MOST));
    }
}
