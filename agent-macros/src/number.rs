//! Numbers of attributes, exactly as they are written.

use std::cmp::Ordering;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Expr, ExprLit, ExprUnary, Lit, UnOp};

/// `mantissa` / 10^`scale`, where the mantissa does not end in zero.
#[derive(Clone)]
pub(crate) struct Number {
    mantissa: i128,
    scale: i32,
    tokens: TokenStream,
}

/// More digits than any argument type holds; zeros at either end are not counted.
const MOST_DIGITS: usize = 36;

/// Zeros that are written out, for a reader to see the number at once.
const MOST_ZEROS: i32 = 40;

impl Number {
    /// A number literal, with or without a sign.
    pub(crate) fn of(expr: &Expr) -> syn::Result<Self> {
        let tokens = expr.to_token_stream();
        let wrong = || syn::Error::new_spanned(expr, "expected a number, such as `1`, `-2` or `0.5`");
        let (minus, lit) = match expr {
            Expr::Lit(ExprLit { lit, .. }) => (false, lit),
            Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => match &**expr {
                Expr::Lit(ExprLit { lit, .. }) => (true, lit),
                _ => return Err(wrong()),
            },
            Expr::Group(group) => return Self::of(&group.expr),
            _ => return Err(wrong()),
        };
        let (digits, suffix) = match lit {
            Lit::Int(int) => (int.base10_digits(), int.suffix()),
            Lit::Float(float) => (float.base10_digits(), float.suffix()),
            _ => return Err(wrong()),
        };
        if !suffix.is_empty() {
            return Err(syn::Error::new_spanned(expr, format!("the type says what `{suffix}` would; leave it out")));
        }
        let wrong = |why: &str| syn::Error::new_spanned(expr, why);
        // Digits, a point and an exponent, which is always a float.
        let float: f64 = digits.parse().unwrap_or(f64::NAN);
        if !float.is_finite() {
            return Err(wrong("this number is beyond every 64-bit float, and no argument holds it"));
        }
        let (mantissa, scale) = read(digits).ok_or_else(|| {
            wrong(&format!("this number has more than {MOST_DIGITS} digits, and no argument holds them"))
        })?;
        if mantissa != 0 && float == 0.0 {
            return Err(wrong("this number is zero as a 64-bit float, which is how it is read"));
        }
        Ok(Self { mantissa: if minus { -mantissa } else { mantissa }, scale, tokens })
    }

    /// The value, where it is whole and some integer of Rust holds it.
    pub(crate) fn whole(&self) -> Option<i128> {
        let zeros = u32::try_from(-self.scale).ok()?;
        self.mantissa.checked_mul(10i128.checked_pow(zeros)?)
    }

    /// Whether it is more than zero.
    pub(crate) fn is_positive(&self) -> bool {
        self.mantissa > 0
    }

    /// Whether it is a whole multiple of `unit`; none where the digits do not suffice to tell.
    pub(crate) fn is_multiple_of(&self, unit: &Self) -> Option<bool> {
        let scale = self.scale.max(unit.scale);
        let (left, right) = (self.widened(scale)?, unit.widened(scale)?);
        (right != 0).then(|| left % right == 0)
    }

    /// The order of two numbers.
    pub(crate) fn compare(&self, other: &Self) -> Ordering {
        let scale = self.scale.max(other.scale);
        match (self.widened(scale), other.widened(scale)) {
            (Some(left), Some(right)) => left.cmp(&right),
            // One of the two has the scale as it is. What no longer fits is further from zero than what fits.
            (None, _) => self.mantissa.cmp(&0),
            (_, None) => 0.cmp(&other.mantissa),
        }
    }

    /// The mantissa at a scale that is at least its own.
    fn widened(&self, scale: i32) -> Option<i128> {
        let zeros = u32::try_from(scale.checked_sub(self.scale)?).ok()?;
        if self.mantissa == 0 { Some(0) } else { self.mantissa.checked_mul(10i128.checked_pow(zeros)?) }
    }

    /// As JSON.
    pub(crate) fn json(&self) -> String {
        let sign = if self.mantissa < 0 { "-" } else { "" };
        let digits = self.mantissa.unsigned_abs().to_string();
        if self.scale.abs() > MOST_ZEROS {
            return format!("{sign}{digits}e{}", -self.scale);
        }
        if self.scale <= 0 {
            return format!("{sign}{digits}{}", "0".repeat(self.scale.unsigned_abs() as usize));
        }
        let scale = self.scale.unsigned_abs() as usize;
        let digits = format!("{digits:0>width$}", width = scale + 1);
        let (whole, rest) = digits.split_at(digits.len() - scale);
        format!("{sign}{whole}.{rest}")
    }

    /// As a `Bound` of the runtime.
    pub(crate) fn bound(&self, rt: &TokenStream) -> TokenStream {
        let text = self.json();
        let whole = match self.whole() {
            Some(whole) => quote!(::core::option::Option::Some(#whole)),
            None => quote!(::core::option::Option::None),
        };
        // The text is digits with at most one point, which is always a float.
        let float: f64 = text.parse().unwrap_or(f64::NAN);
        quote!(#rt::Bound { text: #text, whole: #whole, float: #float })
    }
}

impl ToTokens for Number {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        self.tokens.to_tokens(tokens);
    }
}

/// The digits of a literal as mantissa and scale, trimmed.
fn read(digits: &str) -> Option<(i128, i32)> {
    let (number, exponent) = match digits.split_once(['e', 'E']) {
        Some((number, exponent)) => (number, exponent.parse::<i32>().ok()?),
        None => (digits, 0),
    };
    let (whole, rest) = number.split_once('.').unwrap_or((number, ""));
    let text = format!("{whole}{rest}");
    let short = text.trim_end_matches('0');
    let scale = i32::try_from(rest.len()).ok()?.checked_sub(i32::try_from(text.len() - short.len()).ok()?)?;
    let short = short.trim_start_matches('0');
    match short.len() {
        0 => Some((0, 0)),
        length if length > MOST_DIGITS => None,
        _ => Some((short.parse().ok()?, scale.checked_sub(exponent)?)),
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use super::Number;

    fn number(text: &str) -> Number {
        Number::of(&syn::parse_str(text).unwrap()).unwrap()
    }

    #[test]
    fn numbers_are_written_as_plain_decimals() {
        let texts = ["1", "-1", "1.0", "0.50", "-0.05", "1_000", "1e3", "2.5e-3", "0", "0.0", "0x10", "1."];
        let written: Vec<String> = texts.iter().map(|text| number(text).json()).collect();
        assert_eq!(written, ["1", "-1", "1", "0.5", "-0.05", "1000", "1000", "0.0025", "0", "0", "16", "1"]);
    }

    #[test]
    fn only_whole_numbers_have_a_whole_value() {
        assert_eq!(number("18446744073709551615").whole(), Some(u64::MAX.into()));
        assert_eq!(number("2.0").whole(), Some(2));
        assert_eq!(number("2.5").whole(), None);
    }

    #[test]
    fn numbers_are_compared_exactly() {
        assert_eq!(number("0.1").compare(&number("0.10")), Ordering::Equal);
        assert_eq!(number("9007199254740993").compare(&number("9007199254740992")), Ordering::Greater);
        assert_eq!(number("-0.5").compare(&number("0.25")), Ordering::Less);
        assert_eq!(number("0.3").is_multiple_of(&number("0.1")), Some(true));
        assert_eq!(number("0.35").is_multiple_of(&number("0.1")), Some(false));
    }

    #[test]
    fn numbers_of_many_zeros_are_as_exact_as_others() {
        let texts = ["1e40", "1e41", "-2.5e300", "1e-40", "25e-42", "1.7976931348623157e308", "5e-324"];
        let written: Vec<String> = texts.iter().map(|text| number(text).json()).collect();
        let zeros = "0".repeat(40);
        let plain = [format!("1{zeros}"), format!("0.{}1", &zeros[1..])];
        let expected = [&plain[0], "1e41", "-25e299", &plain[1], "25e-42", "17976931348623157e292", "5e-324"];
        assert_eq!(written, expected);
        for (text, json) in texts.iter().zip(&written) {
            assert_eq!(json.parse::<f64>().unwrap(), text.parse::<f64>().unwrap());
        }
        for pair in ["-1e300", "-1e41", "-3", "-1e-300", "0", "1e-300", "1e-41", "0.5", "1e40", "1e300"].windows(2) {
            assert_eq!(number(pair[0]).compare(&number(pair[1])), Ordering::Less, "{pair:?}");
            assert_eq!(number(pair[1]).compare(&number(pair[0])), Ordering::Greater, "{pair:?}");
        }
        assert_eq!(number("1e30").whole(), Some(10i128.pow(30)));
        assert_eq!(number("1e300").whole(), None);
        assert_eq!(number("1e30").is_multiple_of(&number("2e29")), Some(true));
        assert_eq!(number("1e300").is_multiple_of(&number("0.1")), None);
    }

    #[test]
    fn what_is_no_number_is_refused() {
        let long = "1".repeat(37);
        for text in ["\"1\"", "1u8", "x", "1 + 1", "1e309", "-1e309", "1e-400", "1e99999999999", &long] {
            assert!(Number::of(&syn::parse_str(text).unwrap()).is_err(), "{text}");
        }
    }
}
