//! JSON text into a [`Tree`].

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

use super::number::is_told_by;
use super::tree::Tree;

/// Reads JSON text, every key and digit of it.
///
/// The error is a sentence for the model: it names the place and repeats nothing of the text.
pub(crate) fn parse(text: &str) -> Result<Tree<'_>, String> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let numbers = Numbers { rest: Cell::new(text), passed: Cell::new(0) };
    Value(&numbers)
        .deserialize(&mut reader)
        .and_then(|tree| reader.end().map(|()| tree))
        .map_err(|error| sentence(&error))
}

/// Reads the arguments of a call.
///
/// Servers send a call without arguments as `{}`, as nothing, as `null`, and either of these in
/// quotes; some models put the object in quotes as a whole. All of that is an object here. So is what follows a byte order
/// mark, which a reader of JSON may pass over (RFC 8259, 8.1); no other byte that is not JSON is.
pub(crate) fn parse_arguments(text: &str) -> Result<Tree<'_>, String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if is_nothing(text) {
        return Ok(Tree::Object(Vec::new()));
    }
    match parse(text)? {
        Tree::Str(inner) if is_nothing(&inner) => Ok(Tree::Object(Vec::new())),
        Tree::Str(inner) if inner.trim_start().starts_with('{') => match inner {
            Cow::Borrowed(inner) => parse(inner),
            Cow::Owned(inner) => parse(&inner).map(Tree::into_owned),
        },
        tree => Ok(tree),
    }
}

fn is_nothing(text: &str) -> bool {
    matches!(text.trim(), "" | "null")
}

fn sentence(error: &serde_json::Error) -> String {
    let place = format!("line {}, column {}", error.line(), error.column());
    let text = error.to_string();
    if error.is_eof() {
        format!("the JSON breaks off at {place}; write all of it")
    } else if text.starts_with("number out of range") {
        format!("the number at {place} is greater than any 64-bit float")
    } else if text.starts_with("recursion limit") {
        format!("the JSON is nested too deeply at {place}")
    } else {
        let what = text.split(" at line ").next().unwrap_or_default();
        format!("the arguments are not JSON: {what} at {place}")
    }
}

/// The key under which serde_json hands over numbers if some crate in the build turns on its `arbitrary_precision`.
const NUMBER_KEY: &str = "$serde_json::private::Number";

/// The numbers of a text in their order, each as it is written.
///
/// serde_json hands over floats without their text, and a float may stand for digits that it does not have.
struct Numbers<'de> {
    rest: Cell<&'de str>,
    /// Numbers that were handed over as integers, with every digit, and not yet looked up.
    passed: Cell<usize>,
}

impl<'de> Numbers<'de> {
    /// The text of the number that was handed over last.
    fn text(&self) -> &'de str {
        (0..self.passed.replace(0)).for_each(|_| _ = self.next());
        self.next()
    }

    fn next(&self) -> &'de str {
        let text = self.rest.get();
        let (mut quoted, mut escaped) = (false, false);
        let begin = text.bytes().position(|byte| {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = quoted,
                b'"' => quoted = !quoted,
                _ => return !quoted && matches!(byte, b'-' | b'0'..=b'9'),
            }
            false
        });
        // Both ends are those of ASCII, so they are between characters.
        let number = begin.and_then(|begin| text.get(begin..)).unwrap_or_default();
        let length =
            number.bytes().take_while(|byte| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')).count();
        let (number, rest) = number.split_at(length);
        self.rest.set(rest);
        number
    }
}

#[derive(Clone, Copy)]
struct Value<'n, 'de>(&'n Numbers<'de>);

impl<'de> DeserializeSeed<'de> for Value<'_, 'de> {
    type Value = Tree<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Tree<'de>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Value<'_, 'de> {
    type Value = Tree<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Tree<'de>, E> {
        Ok(Tree::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Tree<'de>, E> {
        Ok(Tree::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Tree<'de>, E> {
        self.0.passed.update(|passed| passed + 1);
        Ok(Tree::Int(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Tree<'de>, E> {
        self.0.passed.update(|passed| passed + 1);
        Ok(i64::try_from(value).map_or(Tree::Uint(value), Tree::Int))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Tree<'de>, E> {
        Ok(float(value, Cow::Borrowed(self.0.text())))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Tree<'de>, E> {
        Ok(Tree::Str(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Tree<'de>, E> {
        Ok(Tree::Str(Cow::Owned(text.to_owned())))
    }

    fn visit_string<E>(self, text: String) -> Result<Tree<'de>, E> {
        Ok(Tree::Str(Cow::Owned(text)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Tree<'de>, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = seq.next_element_seed(self)? {
            items.push(item);
        }
        Ok(Tree::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Tree<'de>, A::Error> {
        let mut entries = Vec::new();
        while let Some(key) = map.next_key_seed(Key)? {
            entries.push((key, map.next_value_seed(self)?));
        }
        match entries.as_slice() {
            [(key, Tree::Str(digits))] if key == NUMBER_KEY && numbers_come_as_text() => {
                number(digits).map_err(A::Error::custom)
            }
            _ => Ok(Tree::Object(entries)),
        }
    }
}

/// Whether some crate in the build has turned on serde_json's `arbitrary_precision`. Elsewhere an object with that key is
/// an object, whoever wrote it.
fn numbers_come_as_text() -> bool {
    static THEY_DO: std::sync::LazyLock<bool> = std::sync::LazyLock::new(|| serde_json::from_str::<AsMap>("1").is_ok());
    *THEY_DO
}

/// Reads a map alone, which a number is only where it comes as its text.
struct AsMap;

impl<'de> serde::Deserialize<'de> for AsMap {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Maps;
        impl<'de> Visitor<'de> for Maps {
            type Value = AsMap;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a map")
            }

            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<AsMap, A::Error> {
                while map.next_entry::<String, String>()?.is_some() {}
                Ok(AsMap)
            }
        }
        deserializer.deserialize_any(Maps)
    }
}

/// A number that comes as its text.
fn number(digits: &str) -> Result<Tree<'static>, &'static str> {
    if let Ok(value) = digits.parse() {
        return Ok(Tree::Int(value));
    }
    if let Ok(value) = digits.parse() {
        return Ok(Tree::Uint(value));
    }
    match digits.parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(float(value, Cow::Owned(digits.to_owned()))),
        _ => Err("number out of range"),
    }
}

/// A number that is no 64-bit integer, of the float nearest to it and its text.
fn float<'a>(near: f64, text: Cow<'a, str>) -> Tree<'a> {
    if is_told_by(&text, near) { Tree::Float(near) } else { Tree::Digits { text, near } }
}

/// The key of an entry, borrowed where it holds no escape.
struct Key;

impl<'de> DeserializeSeed<'de> for Key {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Cow<'de, str>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Key {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Borrowed(text))
    }

    fn visit_str<E>(self, text: &str) -> Result<Cow<'de, str>, E> {
        Ok(Cow::Owned(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_say_nothing_is_an_empty_object() {
        for text in ["", "  \n", "null", " null ", "\"\"", "\"null\"", "\"  \"", "{}", "\"{}\""] {
            assert_eq!(parse_arguments(text), Ok(Tree::Object(vec![])), "{text:?}");
        }
    }

    #[test]
    fn an_object_in_quotes_is_unwrapped_once() {
        let object = Tree::Object(vec![("a".into(), Tree::Str("x\"".into()))]);
        assert_eq!(parse_arguments(r#""{\"a\":\"x\\\"\"}""#), Ok(object));
        let twice = serde_json::to_string(&serde_json::to_string("{\"a\":1}").unwrap()).unwrap();
        assert!(matches!(parse_arguments(&twice), Ok(Tree::Str(_))));
    }

    #[test]
    fn doubled_keys_and_every_digit_are_kept() {
        let tree = parse(r#"{"a":18446744073709551615,"a":9007199254740993,"b":-9223372036854775808}"#).unwrap();
        assert_eq!(
            tree,
            Tree::Object(vec![
                ("a".into(), Tree::Uint(u64::MAX)),
                ("a".into(), Tree::Int(9_007_199_254_740_993)),
                ("b".into(), Tree::Int(i64::MIN)),
            ])
        );
    }

    #[test]
    fn a_float_that_does_not_tell_its_digits_keeps_them() {
        let text =
            r#"{"a\"1.5":[0.1,"\\",7,-1.00000000000000000001],"b":{"c":1e-400,"d":2.50},"e":9007199254740993.0}"#;
        let digits = |text: &str, near| Tree::Digits { text: Cow::Owned(text.to_owned()), near };
        assert_eq!(
            parse(text).unwrap(),
            Tree::Object(vec![
                (
                    "a\"1.5".into(),
                    Tree::Array(vec![
                        Tree::Float(0.1),
                        Tree::Str("\\".into()),
                        Tree::Int(7),
                        digits("-1.00000000000000000001", -1.0),
                    ]),
                ),
                ("b".into(), Tree::Object(vec![("c".into(), digits("1e-400", 0.0)), ("d".into(), Tree::Float(2.5))])),
                ("e".into(), digits("9007199254740993.0", 9_007_199_254_740_992.0)),
            ])
        );
    }

    #[test]
    fn a_byte_order_mark_is_passed_over_and_other_bytes_around_the_text_are_not() {
        let empty = Ok(Tree::Object(vec![]));
        assert_eq!((parse_arguments("\u{feff}{}"), parse_arguments("\u{feff}")), (empty.clone(), empty));
        for text in ["{}\0", "\0", "{}\u{feff}", "\u{feff}\u{feff}{}", "\0{}"] {
            assert!(parse_arguments(text).unwrap_err().starts_with("the arguments are not JSON: "), "{text:?}");
        }
    }

    #[test]
    fn strings_without_escapes_are_borrowed() {
        let Ok(Tree::Object(entries)) = parse(r#"{"a":"b"}"#) else { panic!() };
        assert!(matches!(&entries[0], (Cow::Borrowed("a"), Tree::Str(Cow::Borrowed("b")))));
    }

    #[test]
    fn malformed_text_gives_a_sentence_with_the_place() {
        let cases = [
            ("{\"a\":1", "the JSON breaks off at line 1, column 6; write all of it"),
            ("{\"a\":1e400}", "the number at line 1, column 10 is greater than any 64-bit float"),
            ("{'a':1}", "the arguments are not JSON: key must be a string at line 1, column 2"),
            ("{} {}", "the arguments are not JSON: trailing characters at line 1, column 4"),
        ];
        for (text, sentence) in cases {
            assert_eq!(parse(text).unwrap_err(), sentence);
        }
        assert!(parse(&"[".repeat(100_000)).unwrap_err().contains("nested too deeply"));
        assert!(parse("\"\\ud800\"").unwrap_err().starts_with("the arguments are not JSON"));
    }

    #[test]
    fn a_number_that_comes_as_text_is_read_as_a_number() {
        assert_eq!(number("18446744073709551615"), Ok(Tree::Uint(u64::MAX)));
        assert_eq!(number("1.5e3"), Ok(Tree::Float(1500.0)));
        assert!(number("1e400").is_err());
        let object = parse(r#"{"$serde_json::private::Number":"7"}"#);
        assert!(numbers_come_as_text() || matches!(object, Ok(Tree::Object(_))), "{object:?}");
    }
}
