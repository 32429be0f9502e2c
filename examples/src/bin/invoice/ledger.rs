//! Where invoices are booked: in memory, for as long as the program runs.

use std::fmt::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};

use agent_examples::view::counted;
use rust_decimal::Decimal;
use serde::Serialize;

/// What is booked.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    pub(crate) invoice_id: String,
    pub(crate) client: String,
    pub(crate) gross: Decimal,
    pub(crate) tax: Decimal,
    pub(crate) currency: String,
    pub(crate) tenant: String,
    pub(crate) booked_by: String,
}

/// What the model is told of a booking.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Invoice {
    pub(crate) invoice_id: String,
    pub(crate) status: &'static str,
}

/// The invoices that were recorded.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    entries: Mutex<Vec<Entry>>,
}

impl Ledger {
    /// Books an invoice under the next id.
    pub(crate) fn record(&self, entry: impl FnOnce(String) -> Entry) -> Invoice {
        let mut entries = self.lock();
        let invoice_id = format!("inv_{:06}", entries.len() + 1);
        entries.push(entry(invoice_id.clone()));
        Invoice { invoice_id, status: "recorded" }
    }

    /// What is booked, for a person.
    pub(crate) fn summary(&self) -> String {
        let entries = self.lock();
        if entries.is_empty() {
            return "\nLedger: empty, nothing was booked\n".to_owned();
        }
        let mut text = format!("\nLedger: {}\n", counted(entries.len(), "invoice", "invoices"));
        for Entry { invoice_id, client, gross, tax, currency, tenant, booked_by } in &*entries {
            // Writing into a string cannot fail.
            let _ = writeln!(
                text,
                "  {invoice_id}   {client}   {gross:.2} {currency}, of which tax {tax:.2}   by {booked_by} of {tenant}"
            );
        }
        text
    }

    #[cfg(test)]
    pub(crate) fn entries(&self) -> Vec<Entry> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Entry>> {
        // Entries are pushed whole, so a poisoned ledger is whole too.
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
