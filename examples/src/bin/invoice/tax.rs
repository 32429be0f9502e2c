//! Statutory tax: which rules there are, and what they give.

use agent_core::BusinessError;
use rust_decimal::{Decimal, RoundingStrategy};
use serde::{Serialize, Serializer};
use serde_json::json;
use serde_json::value::RawValue;

/// The tax on an amount.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Tax {
    pub(crate) jurisdiction: &'static str,
    #[serde(serialize_with = "two_places")]
    pub(crate) rate_applied: Decimal,
    #[serde(serialize_with = "two_places")]
    pub(crate) tax_amount: Decimal,
    #[serde(serialize_with = "two_places")]
    pub(crate) gross_total: Decimal,
    pub(crate) rule_version: &'static str,
}

struct Rule {
    jurisdiction: &'static str,
    percent: i64,
    version: &'static str,
}

/// Every rule there is. A country without one is an error, never a default rate.
const RULES: [Rule; 2] = [
    Rule { jurisdiction: "UK", percent: 20, version: "uk-vat-2011.1" },
    Rule { jurisdiction: "BD", percent: 15, version: "bd-vat-2012.1" },
];

impl Tax {
    /// The tax on a net amount.
    pub(crate) fn on(subtotal: Decimal, country_code: &str) -> Result<Self, BusinessError> {
        let rule =
            RULES.iter().find(|rule| rule.jurisdiction == country_code).ok_or_else(|| unsupported(country_code))?;
        let rate = Decimal::new(rule.percent, 2);
        // Decimals panic where they overflow, and the amount comes from a model.
        let tax_amount = subtotal.checked_mul(rate).map(rounded).ok_or_else(too_large)?;
        let gross_total = subtotal.checked_add(tax_amount).map(rounded).ok_or_else(too_large)?;
        Ok(Self {
            jurisdiction: rule.jurisdiction,
            rate_applied: rate,
            tax_amount,
            gross_total,
            rule_version: rule.version,
        })
    }
}

fn rounded(amount: Decimal) -> Decimal {
    amount.round_dp_with_strategy(2, RoundingStrategy::MidpointAwayFromZero)
}

fn unsupported(country_code: &str) -> BusinessError {
    let supported: Vec<_> = RULES.iter().map(|rule| rule.jurisdiction).collect();
    let message = format!("there is no tax rule for {country_code}; supported: {}", supported.join(", "));
    BusinessError::new("UNSUPPORTED_JURISDICTION", message).details(json!({ "supported": supported }))
}

fn too_large() -> BusinessError {
    BusinessError::new("AMOUNT_TOO_LARGE", "the amount is larger than any invoice may be")
}

/// A JSON number with both places, `300.00`, as the arguments are numbers too; a float would lose them.
fn two_places<S: Serializer>(amount: &Decimal, serializer: S) -> Result<S::Ok, S::Error> {
    let number = RawValue::from_string(format!("{amount:.2}")).map_err(serde::ser::Error::custom)?;
    number.serialize(serializer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn amount(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    #[test]
    fn fifteen_hundred_in_the_uk() {
        let tax = Tax::on(amount("1500"), "UK").unwrap();
        let json = serde_json::to_string(&tax).unwrap();
        assert_eq!(
            json,
            r#"{"jurisdiction":"UK","rateApplied":0.20,"taxAmount":300.00,"grossTotal":1800.00,"ruleVersion":"uk-vat-2011.1"}"#
        );
    }

    #[test]
    fn half_a_penny_is_rounded_away_from_zero() {
        let tax = Tax::on(amount("0.30"), "BD").unwrap();
        assert_eq!((tax.tax_amount, tax.gross_total), (amount("0.05"), amount("0.35")));
        assert_eq!(Tax::on(amount("0.10"), "BD").unwrap().tax_amount, amount("0.02"));
    }

    #[test]
    fn a_country_without_a_rule_is_refused_and_told_which_have_one() {
        let error = Tax::on(amount("500"), "DE").unwrap_err();
        assert_eq!(error.code(), "UNSUPPORTED_JURISDICTION");
        assert!(error.message().contains("UK, BD"), "{error}");
        assert!(Tax::on(amount("500"), "uk").is_err());
    }

    #[test]
    fn an_amount_beyond_the_type_is_a_business_error() {
        assert_eq!(Tax::on(Decimal::MAX, "UK").unwrap_err().code(), "AMOUNT_TOO_LARGE");
    }
}
