//! Is a default a value of its type?

use super::{Report, chars, present, same};
use crate::schema::{Bound, Kind, Number, Shape};

/// A value written in an attribute.
#[derive(Debug, Clone, Copy)]
pub enum Given {
    /// `true` or `false`.
    Bool,
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
            Self::Bool => "a boolean",
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
        (Kind::Number(Number::Seconds), Given::Number(bound)) if bound.float < 0.0 => {
            wrong(at, word).add(" is less than 0, which a number of seconds cannot be")
        }
        (Kind::Refused(_) | Kind::Foreign(_), _) | (Kind::Bool, Given::Bool) | (Kind::Number(_), Given::Number(_)) => {
            Report::FINE
        }
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
        (Kind::Array(array), Given::List(items)) => {
            let mut i = 0;
            while i < items.len() {
                let report = default(array.item.get(), at, word, items[i]);
                if report.failed() {
                    return report;
                }
                i += 1;
            }
            Report::FINE
        }
        (Kind::Object(_) | Kind::Union(_), _) => Report::WRONG
            .name(at)
            .add(" is ")
            .add(shape.kind.name())
            .add(", for which an attribute cannot write a value; make it an `Option` and fill it in the function"),
        (kind, given) => wrong(at, word).add(" is ").add(given.kind()).add(", its type is ").add(kind.name()),
    }
}

const fn wrong(at: &str, word: &str) -> Report {
    Report::WRONG.add("the ").add(word).add(" of ").name(at)
}
