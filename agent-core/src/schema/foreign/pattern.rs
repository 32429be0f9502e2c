//! The patterns of types that give their own schema.
//!
//! Their pattern is one of ECMA-262, and `regex` reads some of its signs in another way. What can be said alike is written
//! so; the rest is refused, since a value would be judged by another rule than the one that was published.

use std::iter::Peekable;
use std::str::Chars;

/// The pattern in signs that ECMA-262 and `regex` read alike, or why there is none.
pub(super) fn portable(pattern: &str) -> Result<String, String> {
    let mut out = String::with_capacity(pattern.len());
    let mut rest = pattern.chars().peekable();
    let mut in_class = false;
    while let Some(sign) = rest.next() {
        match sign {
            '\\' => out.push_str(&escape(&mut rest, in_class)?),
            '[' if in_class => return Err("no `[` in a class; providers read it in different ways".to_owned()),
            '&' | '~' | '-' if in_class && rest.peek() == Some(&sign) => {
                return Err(format!("no `{sign}{sign}` in a class; providers read it in different ways"));
            }
            '(' if rest.peek() == Some(&'?') => {
                out.push('(');
                out.push_str(group(&mut rest)?);
            }
            _ => {
                in_class = sign != ']' && (in_class || sign == '[');
                out.push(sign);
            }
        }
    }
    Ok(out)
}

/// What stands after a backslash.
fn escape(rest: &mut Peekable<Chars<'_>>, in_class: bool) -> Result<String, String> {
    let Some(sign) = rest.next() else { return Err("it ends in a backslash".to_owned()) };
    let set = match sign {
        'd' | 'D' => "0-9",
        'w' | 'W' => "0-9A-Za-z_",
        // Line ends, signs of their own, and hexadecimal ones, which both read alike.
        'n' | 'r' | 't' | 'f' | 'v' | 'x' | 'u' => return Ok(format!("\\{sign}")),
        _ if sign.is_ascii_punctuation() => return Ok(format!("\\{sign}")),
        _ => return Err(format!("no `\\{sign}`; providers do not agree on what it matches")),
    };
    match (sign.is_uppercase(), in_class) {
        (false, true) => Ok(set.to_owned()),
        (false, false) => Ok(format!("[{set}]")),
        (true, false) => Ok(format!("[^{set}]")),
        (true, true) => Err(format!("no `\\{sign}` in a class; providers read it in different ways")),
    }
}

/// What stands after `(`, from a question mark on.
fn group(rest: &mut Peekable<Chars<'_>>) -> Result<&'static str, String> {
    rest.next();
    match rest.next() {
        Some(':') => Ok("?:"),
        Some('=' | '!') => Err("no look-around".to_owned()),
        Some('<') if matches!(rest.peek(), Some('=' | '!')) => Err("no look-around".to_owned()),
        // The name of a group is for whoever reads its text, which nobody does here.
        Some('<') if rest.by_ref().any(|sign| sign == '>') => Ok("?:"),
        _ => Err("no flags within a pattern".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_that_are_read_alike_are_left_as_they_are() {
        for pattern in
            ["", "^[A-Z]{3}$", r"^\$\.[^\]\[\-]+\\\/$", "^(?:a|b)(c)*?$", r"\x41\u0041\n", "a-b--", "[^]", "^a&&b$"]
        {
            assert_eq!(portable(pattern).as_deref(), Ok(pattern));
        }
    }

    #[test]
    fn digits_and_words_are_those_of_ascii_and_names_of_groups_are_left_out() {
        for (pattern, expected) in [
            (r"^\d{2}$", "^[0-9]{2}$"),
            (r"^[\d.]+$", "^[0-9.]+$"),
            (r"\D", "[^0-9]"),
            (r"^\w\W$", "^[0-9A-Za-z_][^0-9A-Za-z_]$"),
            (r"[\w-]", "[0-9A-Za-z_-]"),
            ("^(?<year>[0-9]+)$", "^(?:[0-9]+)$"),
        ] {
            assert_eq!(portable(pattern).as_deref(), Ok(expected));
        }
    }

    #[test]
    fn signs_that_are_read_in_two_ways_are_refused() {
        for (pattern, why) in [
            ("(?=x)", "no look-around"),
            ("(?!x)", "no look-around"),
            ("(?<=x)", "no look-around"),
            ("(?<!x)", "no look-around"),
            ("(?i)x", "no flags"),
            ("(?P<a>x)", "no flags"),
            ("(?<a", "no flags"),
            (r"\s", r"no `\s`"),
            (r"\bx", r"no `\b`"),
            (r"\p{L}", r"no `\p`"),
            (r"\Ax\z", r"no `\A`"),
            (r"(a)\1", r"no `\1`"),
            (r"[\D]", r"no `\D` in a class"),
            ("[[:alpha:]]", "no `[` in a class"),
            ("[a-z&&b]", "no `&&` in a class"),
            ("[a-z--b]", "no `--` in a class"),
            ("[a~~b]", "no `~~` in a class"),
            ("x\\", "it ends in a backslash"),
        ] {
            let said = portable(pattern).expect_err(pattern);
            assert!(said.starts_with(why), "{pattern}: {said}");
        }
    }
}
