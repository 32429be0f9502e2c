//! Whole numbers, floats and decimals.

use std::cmp::Ordering;
use std::time::Duration;

use super::{Reader, Words};
use crate::arguments::number::{Exact, FLOAT_GAPS, nanoseconds, significant, significant_text};
use crate::arguments::problem::{Place, shown};
use crate::arguments::tree::Tree;
use crate::schema::{Integer, Kind, Number, Rules, words};

/// Digits that a decimal may have: all decimals of so many are told apart by a float.
const DECIMAL_DIGITS: usize = 15;

/// Places before and after the point in which the decimals of a 96-bit mantissa keep every digit.
const DECIMAL_PLACES: i32 = 28;

const DECIMAL_RANGE: &str = "a decimal of at most 28 places before and after the point";

/// Nanoseconds of a second.
const NANOS: u128 = 1_000_000_000;

impl Reader<'_> {
    pub(super) fn integer<'a>(&mut self, tree: Tree<'a>, integer: &Integer, rules: &Rules, at: &Place<'_>) -> Tree<'a> {
        let value = match tree {
            Tree::Int(value) => i128::from(value),
            Tree::Uint(value) => i128::from(value),
            // A float below the gaps has all its digits; above them it may stand for another whole number.
            Tree::Float(value) if value.fract() == 0.0 && value.abs() < FLOAT_GAPS => value as i128,
            Tree::Float(value) => return self.no_integer(&tree, value, value.fract() == 0.0, integer, at),
            Tree::Digits { ref text, near } => {
                return self.no_integer(&tree, near, significant_text(text).2, integer, at);
            }
            tree => return self.wrong_type(&tree, &Kind::Integer(*integer), at),
        };
        if value < integer.min {
            self.report(at, "minimum", || Words::new(format!("at least {}", integer.min), value.to_string()));
        } else if value > integer.max {
            self.report(at, "maximum", || Words::new(format!("at most {}", integer.max), value.to_string()));
        } else if value == 0 && !integer.zero {
            self.report(at, "not", || Words::new(words::NOT_ZERO, "0"));
        } else {
            self.numeric_rules(Exact::Whole(value), &value, rules, at);
        }
        match (i64::try_from(value), u64::try_from(value)) {
            (Ok(value), _) => Tree::Int(value),
            (_, Ok(value)) => Tree::Uint(value),
            // Cannot be: the value came from one of the two.
            _ => Tree::Null,
        }
    }

    fn no_integer(
        &mut self,
        tree: &Tree<'_>,
        value: f64,
        is_whole: bool,
        integer: &Integer,
        at: &Place<'_>,
    ) -> Tree<'static> {
        if !is_whole {
            return self.wrong_type(tree, &Kind::Integer(*integer), at);
        }
        if value >= integer.max as f64 {
            self.report(at, "maximum", || Words::new(format!("at most {}", integer.max), shown(tree)));
        } else if value <= integer.min as f64 {
            self.report(at, "minimum", || Words::new(format!("at least {}", integer.min), shown(tree)));
        } else {
            self.report(at, "type", || {
                Words::new("an integer", shown(tree)).hint("write all digits, without a point or an exponent")
            });
        }
        Tree::Null
    }

    pub(super) fn number<'a>(&mut self, tree: Tree<'a>, number: Number, rules: &Rules, at: &Place<'_>) -> Tree<'a> {
        if let (Tree::Digits { text, near }, Number::Decimal | Number::Seconds) = (&tree, number) {
            return self.too_long(text, *near, number, at);
        }
        let (value, exact) = match tree {
            Tree::Int(value) => (value as f64, Exact::Whole(i128::from(value))),
            Tree::Uint(value) => (value as f64, Exact::Whole(i128::from(value))),
            // Zero has one form: a sign would tell apart calls that are the same.
            Tree::Float(value) | Tree::Digits { near: value, .. } => (value + 0.0, Exact::Float(value + 0.0)),
            tree => return self.wrong_type(&tree, &Kind::Number(number), at),
        };
        match number {
            Number::F64 => {
                self.numeric_rules(Exact::Float(value), &tree, rules, at);
                Tree::Float(value)
            }
            Number::F32 => {
                // The tool sees the 32-bit float, so that is what the rules ask about.
                let value = single(value);
                if value.is_infinite() {
                    self.report(at, "maximum", || Words::new("a number within 32-bit floats", shown(&tree)));
                    return Tree::Null;
                }
                self.numeric_rules(Exact::Float(value), &tree, rules, at);
                Tree::Float(value)
            }
            Number::Decimal => self.decimal(value, exact, rules, at),
            Number::Any => {
                self.numeric_rules(exact, &Plain(exact), rules, at);
                any(exact)
            }
            Number::Seconds => self.seconds(exact, rules, at),
        }
    }

    /// A number that must be exact and has more digits than a float tells.
    fn too_long(&mut self, text: &str, near: f64, number: Number, at: &Place<'_>) -> Tree<'static> {
        let (digits, ..) = significant_text(text);
        let got = shown(&Tree::Digits { text: text.into(), near });
        match number {
            Number::Seconds if near < 0.0 => self.report(at, "minimum", || Words::new("at least 0", got)),
            Number::Seconds if near >= u64::MAX as f64 => {
                self.report(at, "maximum", || Words::new(format!("at most {}", u64::MAX), got));
            }
            Number::Seconds => self.report(at, "decimal", || Words::new(words::SECONDS, got)),
            _ if digits > DECIMAL_DIGITS => {
                self.report(at, "decimal", || Words::new(words::DECIMAL, format!("{got} with {digits} digits")));
            }
            _ => self.report(at, "decimal", || Words::new(DECIMAL_RANGE, got)),
        }
        Tree::Null
    }

    fn seconds(&mut self, exact: Exact, rules: &Rules, at: &Place<'_>) -> Tree<'static> {
        let (is_negative, is_beyond, nanos) = match exact {
            Exact::Whole(value) => (value < 0, false, value.unsigned_abs().checked_mul(NANOS)),
            // As a float, `u64::MAX` is the number after it.
            Exact::Float(value) => (value < 0.0, value >= u64::MAX as f64, nanoseconds(value)),
        };
        let span =
            nanos.and_then(|nanos| Some((u64::try_from(nanos / NANOS).ok()?, u32::try_from(nanos % NANOS).ok()?)));
        match span {
            _ if is_negative => self.report(at, "minimum", || Words::new("at least 0", Plain(exact).to_string())),
            _ if is_beyond => {
                self.report(at, "maximum", || Words::new(format!("at most {}", u64::MAX), Plain(exact).to_string()))
            }
            None => self.report(at, "decimal", || Words::new(words::SECONDS, Plain(exact).to_string())),
            Some((seconds, nanos)) => {
                self.numeric_rules(exact, &Plain(exact), rules, at);
                return Tree::Seconds(Duration::new(seconds, nanos));
            }
        }
        Tree::Null
    }

    fn decimal(&mut self, value: f64, exact: Exact, rules: &Rules, at: &Place<'_>) -> Tree<'static> {
        if is_short(value) {
            self.numeric_rules(exact, &Plain(exact), rules, at);
            return decimal(value);
        }
        let (digits, first) = match exact {
            Exact::Whole(value) => significant_whole(value),
            Exact::Float(value) => significant(value),
        };
        let last = first - i32::try_from(digits).unwrap_or(i32::MAX) + 1;
        if digits > DECIMAL_DIGITS {
            self.report(at, "decimal", || Words::new(words::DECIMAL, format!("{} with {digits} digits", Plain(exact))));
        } else if value != 0.0 && (first >= DECIMAL_PLACES || last < -DECIMAL_PLACES) {
            self.report(at, "decimal", || Words::new(DECIMAL_RANGE, Plain(exact).to_string()));
        } else {
            self.numeric_rules(exact, &Plain(exact), rules, at);
        }
        decimal(value)
    }

    fn numeric_rules(&mut self, value: Exact, got: &dyn ToString, rules: &Rules, at: &Place<'_>) {
        if let Some(bound) = rules.minimum.as_ref().filter(|bound| value.order(bound) == Ordering::Less) {
            self.report(at, "minimum", || Words::new(words::minimum(bound), got.to_string()));
        }
        if let Some(bound) = rules.exclusive_minimum.as_ref().filter(|bound| value.order(bound) != Ordering::Greater) {
            self.report(at, "exclusiveMinimum", || Words::new(words::exclusive_minimum(bound), got.to_string()));
        }
        if let Some(bound) = rules.maximum.as_ref().filter(|bound| value.order(bound) == Ordering::Greater) {
            self.report(at, "maximum", || Words::new(words::maximum(bound), got.to_string()));
        }
        if let Some(bound) = rules.exclusive_maximum.as_ref().filter(|bound| value.order(bound) != Ordering::Less) {
            self.report(at, "exclusiveMaximum", || Words::new(words::exclusive_maximum(bound), got.to_string()));
        }
        if let Some(bound) = rules.multiple_of.as_ref().filter(|bound| !value.is_multiple_of(bound)) {
            self.report(at, "multipleOf", || Words::new(words::multiple_of(bound), got.to_string()));
        }
    }
}

/// The one form of a decimal: whole where it can be.
fn decimal(value: f64) -> Tree<'static> {
    if value.fract() == 0.0 && value.abs() < FLOAT_GAPS { Tree::Int(value as i64) } else { Tree::Float(value) }
}

/// The one form of a number of any kind: whole where JSON has whole numbers for it.
fn any(exact: Exact) -> Tree<'static> {
    let whole = match exact {
        Exact::Whole(value) => value,
        // A whole float within the integers is one of them, so the cast keeps it.
        Exact::Float(value) if value.fract() == 0.0 && value.abs() <= u64::MAX as f64 => value as i128,
        Exact::Float(value) => return Tree::Float(value),
    };
    match (i64::try_from(whole), u64::try_from(whole)) {
        (Ok(whole), _) => Tree::Int(whole),
        (_, Ok(whole)) => Tree::Uint(whole),
        _ => Tree::Float(whole as f64),
    }
}

/// Whether a number has at most six places after the point and 15 digits in all, without writing its digits.
///
/// A whole number below 10^15 and 10^6 are both exact, so their quotient is the float nearest to that decimal: if it is
/// the value, the value reads as a decimal that short.
fn is_short(value: f64) -> bool {
    let millionths = (value * 1e6).round();
    millionths.abs() < 1e15 && millionths / 1e6 == value
}

/// A number as JSON.
struct Plain(Exact);

impl std::fmt::Display for Plain {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Exact::Whole(value) => value.fmt(f),
            Exact::Float(value) => Tree::Float(value).fmt(f),
        }
    }
}

/// As [`significant`], of a whole number with every digit.
fn significant_whole(value: i128) -> (usize, i32) {
    let text = value.unsigned_abs().to_string();
    // At most 39 digits, so the cast keeps the number.
    (text.trim_end_matches('0').len().max(1), text.len() as i32 - 1)
}

/// The 32-bit float nearest to a number, as the 64-bit float that is written as shortly.
fn single(value: f64) -> f64 {
    // A small negative number becomes zero, which has no sign.
    let single = value as f32 + 0.0;
    let short = single.to_string().parse().unwrap_or(f64::from(single));
    if short as f32 == single { short } else { f64::from(single) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_number_has_at_most_15_digits() {
        // A generator of Lehmer's: the same floats in every run, of every magnitude.
        let mut state = 1_u64;
        let mut short = 0;
        for _ in 0..20_000 {
            state = state.wrapping_mul(0xd134_2543_de82_ef95).wrapping_add(1);
            for value in [f64::from_bits(state), (state >> 20) as f64 / 1e6, (state >> 44) as f64 / 100.0] {
                if is_short(value) {
                    short += 1;
                    let (digits, first) = significant(value);
                    assert!(digits <= DECIMAL_DIGITS && first < DECIMAL_PLACES, "{value:e}");
                }
            }
        }
        assert!(short > 20_000);
        assert!(is_short(0.0) && is_short(1500.1) && is_short(-0.000001) && !is_short(1e-7) && !is_short(f64::MAX));
    }
}
