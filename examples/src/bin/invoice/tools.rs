//! The tools that the model may call, and the state that they borrow.

use std::error::Error;

use agent_core::{BusinessError, CallContext, State, ToolError, tool};
use agent_store::SqliteStore;
use rust_decimal::Decimal;

use crate::ledger::{Entry, Invoice, Ledger};
use crate::quotes::Quotes;
use crate::tax::Tax;

/// What the host lends to the tools.
#[derive(Debug, Default, State)]
pub(crate) struct App {
    pub(crate) ledger: Ledger,
    pub(crate) quotes: Quotes,
}

impl App {
    /// All of it in the store's file.
    pub(crate) async fn in_file(store: &SqliteStore) -> Result<Self, Box<dyn Error + Send + Sync>> {
        Ok(Self { ledger: Ledger::in_file(store).await?, quotes: Quotes::in_file(store).await? })
    }
}

/// Computes statutory tax and the gross total for supported jurisdictions (UK, BD).
#[tool(name = "calculateTax", rename_all = "camelCase")]
pub(crate) async fn calculate_tax(
    /// Net amount before tax.
    #[arg(exclusive_minimum = 0)]
    subtotal: Decimal,
    /// Two-letter country code, for example "UK" or "BD".
    #[arg(pattern = "^[A-Z]{2}$")]
    country_code: String,
    quotes: &Quotes,
    call: &CallContext,
) -> Result<Tax, ToolError> {
    let tax = Tax::on(subtotal, &country_code)?;
    quotes.keep(call, &tax).await?;
    Ok(tax)
}

/// Records an invoice in the ledger. Amounts must be those that calculateTax gave for it.
// `keyed`: the ledger books each key once, so a call that was cut off may be made again.
#[tool(name = "recordInvoice", rename_all = "camelCase", mutating, keyed, permission = "billing:write")]
pub(crate) async fn record_invoice(
    /// Customer or business entity name.
    #[arg(min_length = 1, max_length = 200)]
    client_name: String,
    /// Gross total as calculateTax gave it.
    #[arg(exclusive_minimum = 0)]
    amount: Decimal,
    /// Tax amount as calculateTax gave it.
    #[arg(minimum = 0)]
    tax_amount: Decimal,
    /// Three-letter currency code, for example "GBP".
    #[arg(pattern = "^[A-Z]{3}$")]
    currency: String,
    ledger: &Ledger,
    quotes: &Quotes,
    call: &CallContext,
) -> Result<Invoice, ToolError> {
    // Generated text is never the record: what is booked is what the tax tool said, in this run.
    if !quotes.gave(call, amount, tax_amount).await? {
        let message = format!(
            "calculateTax gave no gross total of {amount} with a tax of {tax_amount} in this run; nothing was booked"
        );
        return Err(BusinessError::new("UNVERIFIED_AMOUNT", message).into());
    }
    let entry = Entry {
        client: client_name,
        gross: amount,
        tax: tax_amount,
        currency,
        tenant: call.caller().tenant().to_owned(),
        booked_by: call.caller().user().to_owned(),
    };
    ledger.record(call, entry).await
}

#[cfg(test)]
mod tests {
    use agent_core::SecurityContext;

    use super::*;

    /// The functions stay functions: they are tested without a model and without an agent.
    #[tokio::test]
    async fn only_what_was_quoted_is_booked() {
        let app = App::default();
        let call = CallContext::detached(SecurityContext::new("usr_1", "tenant_1"));
        let book = |gross: i64| {
            record_invoice(
                "Northwind".to_owned(),
                Decimal::from(gross),
                Decimal::from(300),
                "GBP".to_owned(),
                &app.ledger,
                &app.quotes,
                &call,
            )
        };
        let code = |error: ToolError| error.as_business().unwrap().code().to_owned();
        assert_eq!(code(book(1800).await.unwrap_err()), "UNVERIFIED_AMOUNT");
        calculate_tax(Decimal::from(1500), "UK".to_owned(), &app.quotes, &call).await.unwrap();
        assert_eq!(code(book(1900).await.unwrap_err()), "UNVERIFIED_AMOUNT");
        assert_eq!(app.ledger.entries().await.unwrap(), []);
        let invoice = book(1800).await.unwrap();
        assert!(invoice.invoice_id.starts_with("inv_"));
        assert_eq!((invoice.status, app.ledger.entries().await.unwrap().len()), ("recorded", 1));
    }
}
