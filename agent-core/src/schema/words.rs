//! Constraints in words: what a profile cannot say in keywords, and what a refused value is told.

use super::{Bound, Rules};

pub(crate) fn minimum(bound: &Bound) -> String {
    format!("at least {}", bound.text)
}

pub(crate) fn exclusive_minimum(bound: &Bound) -> String {
    format!("greater than {}", bound.text)
}

pub(crate) fn maximum(bound: &Bound) -> String {
    format!("at most {}", bound.text)
}

pub(crate) fn exclusive_maximum(bound: &Bound) -> String {
    format!("less than {}", bound.text)
}

pub(crate) fn multiple_of(bound: &Bound) -> String {
    format!("a multiple of {}", bound.text)
}

pub(crate) fn min_length(least: u64) -> String {
    format!("at least {}", count(least, "character"))
}

pub(crate) fn max_length(most: u64) -> String {
    format!("at most {}", count(most, "character"))
}

pub(crate) fn min_items(least: u64) -> String {
    format!("at least {}", count(least, "item"))
}

pub(crate) fn max_items(most: u64) -> String {
    format!("at most {}", count(most, "item"))
}

pub(crate) fn pattern(pattern: &str) -> String {
    format!("text that matches the pattern {pattern}")
}

/// The format as a noun: "a date such as 2026-03-31".
pub(crate) fn format(format: &str) -> String {
    let words = match format {
        "date-time" => "a date and time such as 2026-03-31T09:30:00Z",
        "date" => "a date such as 2026-03-31",
        "time" => "a time with its offset such as 09:30:00Z",
        "duration" => "an ISO 8601 duration such as P3DT4H",
        "email" => "an email address",
        "hostname" => "a host name",
        "ipv4" => "an IPv4 address",
        "ipv6" => "an IPv6 address",
        "uuid" => "a UUID such as 123e4567-e89b-12d3-a456-426614174000",
        "uri" => "an absolute URI",
        other => return format!("text of the format {other}"),
    };
    words.to_owned()
}

pub(crate) const UNIQUE: &str = "no two items the same";
pub(crate) const NOT_ZERO: &str = "a number other than 0";
pub(crate) const DECIMAL: &str = "a decimal of at most 15 significant digits";
pub(crate) const IN_SECONDS: &str = "in seconds";
pub(crate) const SECONDS: &str = "seconds with at most 9 digits after the point and 15 in all";

pub(crate) fn count(number: u64, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{ending}")
}

/// The rules of lengths that are the stricter of the type's own and the field's.
pub(crate) fn length_limits(text: &super::Text, rules: &Rules) -> (Option<u64>, Option<u64>) {
    (text.min_length.max(rules.min_length), least(text.max_length, rules.max_length))
}

/// The numbers of items that are the stricter of the type's own and the field's.
pub(crate) fn item_limits(array: &super::Array, rules: &Rules) -> (Option<u64>, Option<u64>) {
    (array.min_items.max(rules.min_items), least(array.max_items, rules.max_items))
}

fn least(a: Option<u64>, b: Option<u64>) -> Option<u64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}
