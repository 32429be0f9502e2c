//! Numbers of attributes, exactly as they are written.

use std::cmp::Ordering;

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::{Expr, ExprLit, ExprUnary, Lit, UnOp};

/// `mantissa` / 10^`scale`, without zeros at its end.
#[derive(Clone)]
pub(crate) struct Number {
    mantissa: i128,
    scale: u32,
    tokens: TokenStream,
}

/// More digits than any argument type holds.
const MOST_DIGITS: usize = 36;

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
        let (mantissa, scale) = read(digits).ok_or_else(|| {
            syn::Error::new_spanned(expr, format!("a number has at most {MOST_DIGITS} digits here; round it"))
        })?;
        Ok(Self { mantissa: if minus { -mantissa } else { mantissa }, scale, tokens })
    }

    /// The value, where it is whole.
    pub(crate) fn whole(&self) -> Option<i128> {
        (self.scale == 0).then_some(self.mantissa)
    }

    /// Whether it is more than zero.
    pub(crate) fn is_positive(&self) -> bool {
        self.mantissa > 0
    }

    /// Whether it is a whole multiple of `unit`; none where the digits do not suffice to tell.
    pub(crate) fn is_multiple_of(&self, unit: &Self) -> Option<bool> {
        let (left, right) = self.aligned(unit)?;
        (right != 0).then(|| left % right == 0)
    }

    /// The order of two numbers; none where the digits do not suffice to tell.
    pub(crate) fn compare(&self, other: &Self) -> Option<Ordering> {
        let (left, right) = self.aligned(other)?;
        Some(left.cmp(&right))
    }

    fn aligned(&self, other: &Self) -> Option<(i128, i128)> {
        let scale = self.scale.max(other.scale);
        let widen = |number: &Self| number.mantissa.checked_mul(10i128.checked_pow(scale - number.scale)?);
        Some((widen(self)?, widen(other)?))
    }

    /// As JSON.
    pub(crate) fn json(&self) -> String {
        let sign = if self.mantissa < 0 { "-" } else { "" };
        let digits = self.mantissa.unsigned_abs().to_string();
        let scale = self.scale as usize;
        if scale == 0 {
            return format!("{sign}{digits}");
        }
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
fn read(digits: &str) -> Option<(i128, u32)> {
    let (number, exponent) = match digits.split_once(['e', 'E']) {
        Some((number, exponent)) => (number, exponent.parse::<i64>().ok()?),
        None => (digits, 0),
    };
    let (whole, rest) = number.split_once('.').unwrap_or((number, ""));
    let rest = rest.trim_end_matches('0');
    let mut text = format!("{whole}{rest}");
    let mut scale = i64::try_from(rest.len()).ok()? - exponent;
    while scale > 0 && text.ends_with('0') {
        text.pop();
        scale -= 1;
    }
    while scale < 0 && text.len() <= MOST_DIGITS {
        text.push('0');
        scale += 1;
    }
    let text = text.trim_start_matches('0');
    if text.len() > MOST_DIGITS || scale > MOST_DIGITS as i64 || scale < 0 {
        return None;
    }
    let mantissa = if text.is_empty() { 0 } else { text.parse().ok()? };
    Some((mantissa, if mantissa == 0 { 0 } else { u32::try_from(scale).ok()? }))
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
        assert_eq!(number("0.1").compare(&number("0.10")), Some(Ordering::Equal));
        assert_eq!(number("9007199254740993").compare(&number("9007199254740992")), Some(Ordering::Greater));
        assert_eq!(number("-0.5").compare(&number("0.25")), Some(Ordering::Less));
        assert_eq!(number("0.3").is_multiple_of(&number("0.1")), Some(true));
        assert_eq!(number("0.35").is_multiple_of(&number("0.1")), Some(false));
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in ["\"1\"", "1u8", "x", "1 + 1", "1e99", "1e-99"] {
            assert!(Number::of(&syn::parse_str(text).unwrap()).is_err(), "{text}");
        }
    }
}
