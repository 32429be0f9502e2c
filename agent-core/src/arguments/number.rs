//! Numbers compared as they are written, not as floats happen to divide.

use std::cmp::Ordering;

use crate::schema::Bound;

/// The first whole number from which on floats have gaps.
pub(super) const FLOAT_GAPS: f64 = 9_007_199_254_740_992.0;

/// A number of the arguments, exact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Exact {
    Whole(i128),
    Float(f64),
}

impl Exact {
    /// Its order to a bound.
    pub(super) fn order(self, bound: &Bound) -> Ordering {
        match (self, bound.whole) {
            (Self::Whole(value), Some(bound)) => value.cmp(&bound),
            (Self::Whole(value), None) => (value as f64).total_cmp(&bound.float),
            (Self::Float(value), _) => value.partial_cmp(&bound.float).unwrap_or(Ordering::Equal),
        }
    }

    /// Whether it is a whole multiple of a bound, by decimal digits.
    ///
    /// True where the bound is no number or zero, which the attribute's own check refuses.
    pub(super) fn is_multiple_of(self, bound: &Bound) -> bool {
        let value = match self {
            Self::Whole(value) => Digits::of(&value.to_string()),
            Self::Float(value) => Digits::of(&format!("{value:e}")),
        };
        match (value, Digits::of(bound.text)) {
            (Some(value), Some(step)) if step.mantissa != 0 => value.is_multiple_of(step),
            _ => true,
        }
    }
}

/// The number of significant decimal digits of a float's shortest text, and the power of ten of the first.
pub(super) fn significant(value: f64) -> (usize, i32) {
    let text = format!("{:e}", value.abs());
    // `{:e}` always writes an exponent; a text without one would have a single digit's worth of place.
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    (digits.bytes().filter(u8::is_ascii_digit).count(), exponent.parse().unwrap_or(0))
}

/// Whether the shortest text of a float has the digits of a JSON number, so that it stands for that number and no other.
pub(super) fn is_told_by(text: &str, near: f64) -> bool {
    // All decimals of so few digits are told apart by a float, as long as they are near enough to 1.
    const FEW: usize = 15;
    if text.len() <= FEW && !text.contains(['e', 'E']) {
        return true;
    }
    let (digits, power) = written(text);
    let shortest = format!("{:e}", near.abs());
    let (near, near_power) = written(&shortest);
    (digits.clone().next().is_none() || power == near_power) && digits.eq(near)
}

/// The number of significant digits of a JSON number's text, the power of ten of the first, and whether it is whole.
pub(super) fn significant_text(text: &str) -> (usize, i64, bool) {
    let (digits, power) = written(text);
    let count = digits.count();
    (count.max(1), power, i64::try_from(count).is_ok_and(|count| count <= power.saturating_add(1)))
}

/// The digits of a JSON number's text without zeros at either end, and the power of ten of the first.
fn written(text: &str) -> (impl Iterator<Item = u8> + Clone, i64) {
    let text = text.trim_start_matches('-');
    let (number, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    // What is beyond 64 bits is beyond every number of digits that a text can have.
    let beyond = if exponent.starts_with('-') { i64::MIN } else { i64::MAX };
    let exponent = exponent.parse().unwrap_or(beyond);
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = || whole.bytes().chain(fraction.bytes());
    let leading = digits().take_while(|digit| *digit == b'0').count();
    let all = whole.len() + fraction.len();
    let trailing = digits().rev().take_while(|digit| *digit == b'0').count().min(all - leading);
    let power = i64::try_from(whole.len()).unwrap_or(i64::MAX) - i64::try_from(leading).unwrap_or(i64::MAX) - 1;
    (digits().skip(leading).take(all - leading - trailing), power.saturating_add(exponent))
}

/// The nanoseconds in so many seconds, which are not negative; none where a float does not tell them exactly, as all
/// decimals of at most 15 digits can be told apart.
pub(super) fn nanoseconds(seconds: f64) -> Option<u128> {
    const TOO_LONG: u128 = 10u128.pow(15);
    let digits = Digits::of(&format!("{seconds:e}")).filter(|digits| digits.mantissa < TOO_LONG)?;
    let power = u32::try_from(digits.exponent.checked_add(9)?).ok()?;
    10u128.checked_pow(power)?.checked_mul(digits.mantissa)
}

/// `mantissa * 10^exponent`, without sign; the mantissa does not end in 0.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Digits {
    mantissa: u128,
    exponent: i64,
}

impl Digits {
    /// Of a JSON number's text; none where it has too many digits to hold.
    fn of(text: &str) -> Option<Self> {
        let text = text.trim_start_matches('-');
        let (number, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let exponent = exponent.parse::<i64>().ok()?.checked_sub(i64::try_from(fraction.len()).ok()?)?;
        let mut digits = Self { mantissa: 0, exponent };
        for digit in whole.bytes().chain(fraction.bytes()) {
            let digit = char::from(digit).to_digit(10)?;
            digits.mantissa = digits.mantissa.checked_mul(10)?.checked_add(u128::from(digit))?;
        }
        while digits.mantissa != 0 && digits.mantissa.is_multiple_of(10) {
            digits.mantissa /= 10;
            digits.exponent = digits.exponent.checked_add(1)?;
        }
        Some(digits)
    }

    fn is_multiple_of(self, step: Self) -> bool {
        if self.mantissa == 0 {
            return true;
        }
        let shift = self.exponent.saturating_sub(step.exponent);
        let power = u32::try_from(shift.unsigned_abs()).ok();
        if shift < 0 {
            // A step of more digits than any value can have divides none.
            let step = power.and_then(|power| 10u128.checked_pow(power)).and_then(|ten| ten.checked_mul(step.mantissa));
            return step.is_some_and(|step| self.mantissa.is_multiple_of(step));
        }
        // Only factors of 2 and 5 can be taken out of the step by the power of ten: what is left must divide the mantissa.
        let mut left = step.mantissa;
        for prime in [2, 5] {
            let mut times = shift;
            while times > 0 && left.is_multiple_of(prime) {
                left /= prime;
                times -= 1;
            }
        }
        self.mantissa.is_multiple_of(left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(text: &'static str) -> Bound {
        Bound { text, whole: text.parse().ok(), float: text.parse().unwrap() }
    }

    #[test]
    fn multiples_go_by_digits_and_not_by_float_remainders() {
        let cases = [
            (Exact::Float(0.3), "0.1", true),
            (Exact::Float(4.35), "0.01", true),
            (Exact::Float(1.005), "0.01", false),
            (Exact::Float(1e300), "0.01", true),
            (Exact::Float(1e300), "3", false),
            (Exact::Float(1e-300), "0.01", false),
            (Exact::Float(-0.5), "0.25", true),
            (Exact::Whole(10), "2.5", true),
            (Exact::Whole(9), "2.5", false),
            (Exact::Whole(0), "7", true),
            (Exact::Whole(1500), "5e2", true),
            (Exact::Whole(1_500_000), "64", false),
            (Exact::Whole(6_400_000), "64", true),
            (Exact::Whole(i128::from(u64::MAX)), "5", true),
            (Exact::Whole(i128::from(u64::MAX)), "2", false),
        ];
        for (value, step, expected) in cases {
            assert_eq!(value.is_multiple_of(&bound(step)), expected, "{value:?} of {step}");
        }
    }

    #[test]
    fn whole_numbers_are_ordered_beyond_the_gaps_of_floats() {
        let limit = bound("9007199254740992");
        assert_eq!(Exact::Whole(9_007_199_254_740_993).order(&limit), Ordering::Greater);
        assert_eq!(Exact::Whole(9_007_199_254_740_992).order(&limit), Ordering::Equal);
        assert_eq!(Exact::Whole(1).order(&bound("0.5")), Ordering::Greater);
        assert_eq!(Exact::Float(0.1).order(&bound("0.1")), Ordering::Equal);
    }

    #[test]
    fn a_float_tells_the_numbers_that_its_shortest_text_writes() {
        for (text, near) in
            [("0.10", 0.1), ("1.5e3", 1500.0), ("15E+2", 1500.0), ("-0.0", 0.0), ("1e23", 1e23), ("0e9", 0.0)]
        {
            assert!(is_told_by(text, near), "{text}");
        }
        for (text, near) in [
            ("0.10000000000000000001", 0.1),
            ("1e-400", 0.0),
            ("1e-99999999999999999999", 0.0),
            ("18446744073709551616", 18_446_744_073_709_551_616.0),
            ("0.99999999999999999999", 1.0),
        ] {
            assert!(!is_told_by(text, near), "{text}");
        }
        assert_eq!(significant_text("1.00000000000000000001"), (21, 0, false));
        assert_eq!(significant_text("9007199254740993.0"), (16, 15, true));
        assert_eq!(significant_text("123e-2"), (3, 0, false));
        assert_eq!(significant_text("1200e-2"), (2, 1, true));
    }

    #[test]
    fn nanoseconds_are_those_of_the_shortest_text() {
        assert_eq!(nanoseconds(0.0), Some(0));
        assert_eq!(nanoseconds(0.1), Some(100_000_000));
        assert_eq!(nanoseconds(1.000_000_001), Some(1_000_000_001));
        assert_eq!(nanoseconds(123_456.123_456_789), Some(123_456_123_456_789));
        assert_eq!(nanoseconds(1e18), Some(10u128.pow(27)));
        for inexact in [0.1 + 0.2, 1e-10, 1.0 / 3.0, 1_234_567.123_456_789, f64::MAX] {
            assert_eq!(nanoseconds(inexact), None, "{inexact}");
        }
    }

    #[test]
    fn significant_digits_are_those_of_the_shortest_text() {
        assert_eq!(significant(0.1), (1, -1));
        assert_eq!(significant(1500.1), (5, 3));
        assert_eq!(significant(123_456_789_012.345), (15, 11));
        assert_eq!(significant(-1e-7), (1, -7));
        assert_eq!(significant(0.0), (1, 0));
    }
}
