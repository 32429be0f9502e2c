//! The three tools, as an application would write them.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};

use agent_core::{BusinessError, tool};

/// How often a tool was entered.
pub(crate) static ENTERED: AtomicU64 = AtomicU64::new(0);

fn enter() {
    ENTERED.fetch_add(1, Ordering::Relaxed);
}

#[derive(serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Tax {
    subtotal: f64,
    rate: f64,
    tax_amount: f64,
    total: f64,
    currency: &'static str,
}

/// Compute the VAT due on an invoice subtotal for a country.
#[tool(name = "calculateTax", rename_all = "camelCase")]
pub(crate) async fn calculate_tax(
    /// Net amount.
    subtotal: f64,
    /// ISO country code.
    #[arg(pattern = "^[A-Z]{2}$")]
    country_code: String,
) -> Result<Tax, BusinessError> {
    enter();
    let (percent, currency) = match country_code.as_str() {
        "UK" => (20.0, "GBP"),
        "DE" => (19.0, "EUR"),
        other => return Err(BusinessError::new("UNKNOWN_COUNTRY", format!("there is no rate for {other}"))),
    };
    let tax_amount = (subtotal * percent).round() / 100.0;
    Ok(Tax { subtotal, rate: percent / 100.0, tax_amount, total: subtotal + tax_amount, currency })
}

#[derive(serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Recorded {
    invoice_id: &'static str,
    status: &'static str,
}

/// Record an invoice in the ledger.
#[tool(name = "recordInvoice", rename_all = "camelCase", mutating, permission = "billing:write")]
pub(crate) async fn record_invoice(
    /// Client.
    #[arg(min_length = 1)]
    client_name: String,
    /// Gross amount.
    #[arg(exclusive_minimum = 0)]
    amount: f64,
    /// Tax in it.
    #[arg(minimum = 0)]
    tax_amount: f64,
    /// ISO currency code.
    #[arg(pattern = "^[A-Z]{3}$")]
    currency: String,
) -> Result<Recorded, BusinessError> {
    enter();
    if (client_name.as_str(), amount, tax_amount, currency.as_str()) != ("Acme Ltd", 1800.0, 300.0, "GBP") {
        return Err(BusinessError::new("UNVERIFIED_AMOUNT", "this is not the invoice that was computed"));
    }
    Ok(Recorded { invoice_id: "INV-0001", status: "recorded" })
}

/// Look up one ledger record.
#[tool]
pub(crate) async fn lookup(
    /// Step.
    step: u32,
    /// Record key.
    key: String,
) -> String {
    enter();
    let mut found = String::with_capacity(1100);
    // Writing into a string cannot fail.
    let _ = writeln!(found, "step-{step} {key}");
    for row in 0..10 {
        let _ = writeln!(
            found,
            r#"{{"row":{row},"ref":"{key}","note":"the quick brown fox jumps over the lazy dog near the river"}}"#
        );
    }
    found
}
