//! Is a default a value of its type?

use super::{Report, chars, present, same};
use crate::schema::{Array, Bound, Kind, Number, Shape};

/// A value written in an attribute.
#[derive(Debug, Clone, Copy)]
pub enum Given {
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(Bound),
    /// A string.
    Text(&'static str),
    /// A list.
    List(&'static [Given]),
}

impl Given {
    const fn kind(self) -> &'static str {
        match self {
            Self::Bool(_) => "a boolean",
            Self::Number(Bound { whole: Some(_), .. }) => "an integer",
            Self::Number(_) => "a number",
            Self::Text(_) => "a string",
            Self::List(_) => "an array",
        }
    }
}

/// Whether `given`, the value of `word`, is a value of the type of `at`.
pub const fn default(shape: &'static Shape, at: &str, word: &str, given: Given) -> Report {
    let shape = present(shape);
    match (&shape.kind, given) {
        (Kind::Refused(_) | Kind::Foreign(_), _) | (Kind::Bool, Given::Bool(_)) => Report::FINE,
        (Kind::Number(number), Given::Number(bound)) => number_of(*number, at, word, bound),
        (Kind::Integer(integer), Given::Number(Bound { whole: Some(whole), .. })) => {
            if whole < integer.min || whole > integer.max || (whole == 0 && !integer.zero) {
                return wrong(at, word)
                    .add(" is outside its type, which goes from ")
                    .number(integer.min)
                    .add(" to ")
                    .number(integer.max)
                    .add(if integer.zero { "" } else { " without 0" });
            }
            Report::FINE
        }
        (Kind::Text(text), Given::Text(given)) => {
            let length = chars(given) as u64;
            match (text.min_length, text.max_length) {
                (Some(min), _) if length < min => wrong(at, word).add(" is shorter than its type allows"),
                (_, Some(max)) if length > max => wrong(at, word).add(" is longer than its type allows"),
                _ => Report::FINE,
            }
        }
        (Kind::Enum(list), Given::Text(given)) => {
            let mut i = 0;
            while i < list.values.len() {
                if same(list.values[i].name, given) {
                    return Report::FINE;
                }
                i += 1;
            }
            let mut report = wrong(at, word).add(" is none of ").name(list.name).add("'s values: ");
            let mut i = 0;
            while i < list.values.len() && i < 8 {
                report = report.add(if i == 0 { "" } else { ", " }).name(list.values[i].name);
                i += 1;
            }
            report.add(if list.values.len() > 8 { ", .." } else { "" })
        }
        (Kind::Array(array), Given::List(items)) => list(array, at, word, items),
        (Kind::Object(_) | Kind::Union(_), _) => Report::WRONG
            .name(at)
            .add(" is ")
            .add(shape.kind.name())
            .add(", for which an attribute cannot write a value; make it an `Option` and fill it in the function"),
        (kind, given) => wrong(at, word).add(" is ").add(given.kind()).add(", its type is ").add(kind.name()),
    }
}

/// A number of a type that does not hold all numbers.
const fn number_of(number: Number, at: &str, word: &str, bound: Bound) -> Report {
    let digits = Digits::of(bound.text);
    match number {
        Number::F32 if (bound.float as f32).is_infinite() => wrong(at, word).add(" is beyond every 32-bit float"),
        Number::Decimal if digits.count > 15 => {
            wrong(at, word).add(" has more than the 15 significant digits of a decimal; take a `String`")
        }
        Number::Decimal if digits.count > 0 && (digits.first >= 28 || digits.last < -28) => {
            wrong(at, word).add(" has more than the 28 places of a decimal before or after the point")
        }
        Number::Seconds if bound.float < 0.0 => {
            wrong(at, word).add(" is less than 0, which a number of seconds cannot be")
        }
        Number::Seconds if bound.float >= u64::MAX as f64 => {
            wrong(at, word).add(" is more seconds than a `Duration` has")
        }
        Number::Seconds if bound.whole.is_none() && (digits.count > 15 || digits.last < -9) => {
            wrong(at, word).add(" has more than the 9 digits after the point, or 15 in all, of a number of seconds")
        }
        _ => Report::FINE,
    }
}

/// A list of a type that has a number of items, or none of them twice.
const fn list(array: &Array, at: &str, word: &str, items: &[Given]) -> Report {
    let count = items.len() as u64;
    match (array.min_items, array.max_items) {
        (Some(min), _) if count < min => return counted(at, word, count, "at least ", min),
        (_, Some(max)) if count > max => return counted(at, word, count, "at most ", max),
        _ => {}
    }
    let mut i = 0;
    while i < items.len() {
        let report = default(array.item.get(), at, word, items[i]);
        if report.failed() {
            return report;
        }
        let mut j = 0;
        while array.unique && j < i {
            if equal(&items[i], &items[j]) {
                return wrong(at, word).add(" has an item twice, and its type is a set");
            }
            j += 1;
        }
        i += 1;
    }
    Report::FINE
}

const fn counted(at: &str, word: &str, count: u64, bound: &str, items: u64) -> Report {
    wrong(at, word)
        .add(" has ")
        .number(count as i128)
        .add(if count == 1 { " item" } else { " items" })
        .add(", its type takes ")
        .add(bound)
        .number(items as i128)
}

const fn equal(a: &Given, b: &Given) -> bool {
    match (a, b) {
        (Given::Bool(a), Given::Bool(b)) => *a == *b,
        // The macro writes each number in one form.
        (Given::Number(a), Given::Number(b)) => same(a.text, b.text),
        (Given::Text(a), Given::Text(b)) => same(a, b),
        (Given::List(a), Given::List(b)) => {
            let mut i = 0;
            while i < a.len() && i < b.len() {
                if !equal(&a[i], &b[i]) {
                    return false;
                }
                i += 1;
            }
            a.len() == b.len()
        }
        _ => false,
    }
}

/// The significant digits of a number's JSON text.
struct Digits {
    count: i64,
    /// The power of ten of the first.
    first: i64,
    /// The power of ten of the last.
    last: i64,
}

impl Digits {
    const fn of(text: &str) -> Self {
        let text = text.as_bytes();
        let (mut at, mut first, mut last, mut point) = (0, -1, -1, -1);
        let mut i = 0;
        while i < text.len() && text[i] != b'e' {
            match text[i] {
                b'.' => point = at,
                b'-' => {}
                digit => {
                    if digit != b'0' {
                        last = at;
                        first = if first < 0 { at } else { first };
                    }
                    at += 1;
                }
            }
            i += 1;
        }
        // The unit has the power 0.
        let unit = if point < 0 { at } else { point } - 1 + exponent(text, i + 1);
        let count = if first < 0 { 0 } else { last - first + 1 };
        Self { count, first: unit - first, last: unit - last }
    }
}

/// The whole number that begins at `from`; 0 where the text ends before.
const fn exponent(text: &[u8], from: usize) -> i64 {
    let mut i = from;
    let mut value = 0;
    while i < text.len() {
        if text[i].is_ascii_digit() {
            value = value * 10 + (text[i] - b'0') as i64;
        }
        i += 1;
    }
    if from < text.len() && text[from] == b'-' { -value } else { value }
}

const fn wrong(at: &str, word: &str) -> Report {
    Report::WRONG.add("the ").add(word).add(" of ").name(at)
}

#[cfg(test)]
mod tests {
    use super::Digits;

    #[test]
    fn digits_are_counted_without_the_zeros_around_them() {
        for (text, expected) in [
            ("0", (0, 0)),
            ("-1200", (2, 2)),
            ("0.050", (1, -2)),
            ("12.5", (3, -1)),
            ("25e-42", (2, -42)),
            ("1e300", (1, 300)),
            ("1.0000000000000001", (17, -16)),
        ] {
            let digits = Digits::of(text);
            assert_eq!((digits.count, if digits.count == 0 { 0 } else { digits.last }), expected, "{text}");
        }
        assert_eq!((Digits::of("1200").first, Digits::of("0.05").first, Digits::of("25e40").first), (3, -2, 41));
    }
}
