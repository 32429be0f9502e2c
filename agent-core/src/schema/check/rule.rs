//! Does a keyword fit the type of its value?

use super::{Report, present};
use crate::schema::{Bound, Field, Integer, Kind, Number, Shape};

/// What a keyword of `#[arg(..)]` asks.
#[derive(Debug, Clone, Copy)]
pub enum Asks {
    /// `minimum` and its kin.
    Bound(Bound),
    /// `multiple_of`.
    Multiple(Bound),
    /// `min_length` and `max_length`.
    Length,
    /// `pattern`.
    Pattern,
    /// `format`.
    Format,
    /// `min_items` and `max_items`.
    Items,
}

/// Whether `word`, which asks `asks`, fits the value called `at`.
pub const fn rule(shape: &'static Shape, at: &str, word: &str, asks: Asks) -> Report {
    let shape = present(shape);
    match (&shape.kind, asks) {
        // Reported at the type, or when the agent is built.
        (Kind::Refused(_) | Kind::Foreign(_), _) => Report::FINE,
        (Kind::Integer(integer), Asks::Bound(bound)) => bound_of_integer(integer, at, word, bound),
        (Kind::Integer(_), Asks::Multiple(Bound { whole: None, .. })) => whole(at, word),
        (Kind::Integer(_), Asks::Multiple(_)) => Report::FINE,
        (Kind::Number(Number::Seconds), Asks::Bound(bound)) if bound.float < 0.0 => {
            outside(at, word, 0, u64::MAX as i128)
        }
        (Kind::Number(_), Asks::Bound(_) | Asks::Multiple(_)) => Report::FINE,
        (Kind::Text(text), Asks::Format) => match text.format {
            Some(format) => Report::WRONG
                .add("the type of ")
                .name(at)
                .add(" has the format ")
                .name(format)
                .add(" already; leave `format` out"),
            None => Report::FINE,
        },
        (Kind::Text(_), Asks::Length | Asks::Pattern) => Report::FINE,
        (Kind::Array(_), Asks::Items) => Report::FINE,
        (kind, _) => Report::WRONG
            .name(word)
            .add(" does not fit ")
            .name(at)
            .add(", which is ")
            .add(kind.name())
            .add("; ")
            .add(fitting(kind)),
    }
}

/// Whether all keywords of a field fit its type, for fields whose type is known only where it is used.
pub(super) const fn all(field: &'static Field) -> Report {
    let rules = &field.rules;
    let asked = [
        ("minimum", bound(rules.minimum)),
        ("exclusive_minimum", bound(rules.exclusive_minimum)),
        ("maximum", bound(rules.maximum)),
        ("exclusive_maximum", bound(rules.exclusive_maximum)),
        ("multiple_of", multiple(rules.multiple_of)),
        ("min_length", given(rules.min_length.is_some(), Asks::Length)),
        ("max_length", given(rules.max_length.is_some(), Asks::Length)),
        ("pattern", given(rules.pattern.is_some(), Asks::Pattern)),
        ("format", given(rules.format.is_some(), Asks::Format)),
        ("min_items", given(rules.min_items.is_some(), Asks::Items)),
        ("max_items", given(rules.max_items.is_some(), Asks::Items)),
    ];
    let mut i = 0;
    while i < asked.len() {
        if let (word, Some(asks)) = asked[i] {
            let report = rule(field.shape.get(), field.name, word, asks);
            if report.failed() {
                return report;
            }
        }
        i += 1;
    }
    Report::FINE
}

const fn bound(bound: Option<Bound>) -> Option<Asks> {
    match bound {
        Some(bound) => Some(Asks::Bound(bound)),
        None => None,
    }
}

const fn multiple(unit: Option<Bound>) -> Option<Asks> {
    match unit {
        Some(unit) => Some(Asks::Multiple(unit)),
        None => None,
    }
}

const fn given(is: bool, asks: Asks) -> Option<Asks> {
    if is { Some(asks) } else { None }
}

const fn bound_of_integer(integer: &Integer, at: &str, word: &str, bound: Bound) -> Report {
    let Some(whole) = bound.whole else {
        // A number of so few digits is whole from there on.
        let beyond = bound.float.abs() >= 1e36;
        return if beyond { outside(at, word, integer.min, integer.max) } else { whole(at, word) };
    };
    if whole < integer.min || whole > integer.max {
        return outside(at, word, integer.min, integer.max);
    }
    Report::FINE
}

const fn outside(at: &str, word: &str, min: i128, max: i128) -> Report {
    Report::WRONG
        .name(word)
        .add(" is outside the values of ")
        .name(at)
        .add(", whose type goes from ")
        .number(min)
        .add(" to ")
        .number(max)
}

const fn whole(at: &str, word: &str) -> Report {
    Report::WRONG.name(at).add(" is an integer, so its ").name(word).add(" must be a whole number")
}

const fn fitting(kind: &Kind) -> &'static str {
    match kind {
        Kind::Integer(_) | Kind::Number(_) => {
            "use `minimum`, `exclusive_minimum`, `maximum`, `exclusive_maximum` or `multiple_of`"
        }
        Kind::Text(_) => "use `min_length`, `max_length`, `pattern` or `format`",
        Kind::Array(_) => "use `min_items` or `max_items`; a rule for each item stands on a field of a struct",
        Kind::Object(_) | Kind::Union(_) => "put it on the field that it is about",
        _ => "it takes no rule",
    }
}
