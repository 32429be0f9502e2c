//! Where invoices are booked: in memory, for as long as the program runs, or in the database that holds the claims too.

use std::error::Error;
use std::fmt::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};

use agent_core::{CallContext, ToolError};
use agent_examples::view::counted;
use agent_store::SqliteStore;
use agent_store::rusqlite::{self, params};
use rust_decimal::Decimal;
use serde::Serialize;

/// What is booked.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
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

impl Invoice {
    /// The invoice that was booked as the nth.
    fn nth(n: i64) -> Self {
        Self { invoice_id: format!("inv_{n:06}"), status: "recorded" }
    }
}

/// The invoices that were recorded. In memory, each key of a call is booked once, however often it comes. In a file, a
/// booking commits together with the settlement of its claim, so that one whose claim was lost or settled books nothing.
#[derive(Debug)]
pub(crate) enum Ledger {
    Memory(Mutex<Vec<(Option<String>, Entry)>>),
    File(SqliteStore),
}

impl Default for Ledger {
    fn default() -> Self {
        Self::Memory(Mutex::default())
    }
}

type Wrong = Box<dyn Error + Send + Sync>;

impl Ledger {
    /// The ledger in the store's file, beside the store's own tables.
    pub(crate) async fn in_file(store: &SqliteStore) -> Result<Self, Wrong> {
        // Amounts as text: SQLite has no decimals.
        const TABLE: &str = "CREATE TABLE IF NOT EXISTS invoice (id INTEGER PRIMARY KEY, client TEXT NOT NULL,
            gross TEXT NOT NULL, tax TEXT NOT NULL, currency TEXT NOT NULL, tenant TEXT NOT NULL,
            booked_by TEXT NOT NULL) STRICT";
        store.transaction(|tx| -> Result<(), Wrong> { Ok(tx.execute_batch(TABLE)?) }).await?;
        Ok(Self::File(store.clone()))
    }

    /// Books an invoice under the next id.
    pub(crate) async fn record(&self, call: &CallContext, entry: Entry) -> Result<Invoice, ToolError> {
        match self {
            Self::Memory(entries) => {
                let key = call.idempotency_key().map(str::to_owned);
                let mut entries = lock(entries);
                let before = entries.iter().position(|(of, _)| key.is_some() && *of == key);
                let at = before.unwrap_or_else(|| {
                    entries.push((key, entry));
                    entries.len() - 1
                });
                Ok(Invoice::nth(i64::try_from(at + 1).map_err(ToolError::fatal)?))
            }
            Self::File(store) => {
                let claim = call.claim().cloned();
                // The invoice and the record that this call has booked it: both are there, or neither.
                let booking = store.transaction(move |tx| -> Result<Invoice, Wrong> {
                    let sql = "INSERT INTO invoice (client, gross, tax, currency, tenant, booked_by)
                        VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
                    let Entry { client, gross, tax, currency, tenant, booked_by } = &entry;
                    tx.execute(sql, params![client, gross.to_string(), tax.to_string(), currency, tenant, booked_by])?;
                    let invoice = Invoice::nth(tx.last_insert_rowid());
                    if let Some(claim) = &claim {
                        SqliteStore::settle_in(tx, claim, &invoice)?;
                    }
                    Ok(invoice)
                });
                booking.await.map_err(ToolError::fatal)
            }
        }
    }

    /// What is booked, for a person.
    pub(crate) async fn summary(&self) -> String {
        let entries = match self.entries().await {
            Ok(entries) => entries,
            Err(error) => return format!("\nLedger: it cannot be read: {error}\n"),
        };
        if entries.is_empty() {
            return "\nLedger: empty, nothing was booked\n".to_owned();
        }
        let mut text = format!("\nLedger: {}\n", counted(entries.len(), "invoice", "invoices"));
        for (Invoice { invoice_id, .. }, entry) in &entries {
            let Entry { client, gross, tax, currency, tenant, booked_by } = entry;
            // Writing into a string cannot fail.
            let _ = writeln!(
                text,
                "  {invoice_id}   {client}   {gross:.2} {currency}, of which tax {tax:.2}   by {booked_by} of {tenant}"
            );
        }
        text
    }

    pub(crate) async fn entries(&self) -> Result<Vec<(Invoice, Entry)>, Wrong> {
        match self {
            Self::Memory(entries) => {
                let entries = lock(entries);
                Ok((1..).zip(&*entries).map(|(n, (_, entry))| (Invoice::nth(n), entry.clone())).collect())
            }
            Self::File(store) => {
                let read = store.transaction(|tx| -> Result<_, Wrong> {
                    let sql = "SELECT id, client, gross, tax, currency, tenant, booked_by FROM invoice ORDER BY id";
                    let mut statement = tx.prepare(sql)?;
                    let mut rows = statement.query([])?;
                    let mut entries = Vec::new();
                    while let Some(row) = rows.next()? {
                        entries.push((Invoice::nth(row.get(0)?), entry(row)?));
                    }
                    Ok(entries)
                });
                read.await
            }
        }
    }
}

fn entry(row: &rusqlite::Row<'_>) -> Result<Entry, Wrong> {
    let amount = |column| -> Result<Decimal, Wrong> { Ok(row.get::<_, String>(column)?.parse()?) };
    Ok(Entry {
        client: row.get("client")?,
        gross: amount("gross")?,
        tax: amount("tax")?,
        currency: row.get("currency")?,
        tenant: row.get("tenant")?,
        booked_by: row.get("booked_by")?,
    })
}

fn lock<T>(entries: &Mutex<T>) -> MutexGuard<'_, T> {
    // Entries are pushed whole, so a poisoned ledger is whole too.
    entries.lock().unwrap_or_else(PoisonError::into_inner)
}
