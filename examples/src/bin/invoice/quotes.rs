//! What `calculateTax` has given in each run, so that an invoice can be held against it.

use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::sync::{Mutex, PoisonError};

use agent_core::{CallContext, ToolError};
use agent_store::SqliteStore;
use agent_store::rusqlite::params;
use rust_decimal::Decimal;

use crate::tax::Tax;

/// Every quote of every run: in memory, or in a file, where a run that is taken up by another process finds them.
///
/// It grows with each run; a service keeps it beside the run and drops it with it.
#[derive(Debug)]
pub(crate) enum Quotes {
    Memory(Mutex<HashMap<Run, HashSet<Quote>>>),
    File(SqliteStore),
}

impl Default for Quotes {
    fn default() -> Self {
        Self::Memory(Mutex::default())
    }
}

/// Two tenants may give their runs the same id.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Run {
    tenant: String,
    id: String,
}

/// Amounts that belong together. Decimals are equal by value: 1800 is 1800.00.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct Quote {
    gross: Decimal,
    tax: Decimal,
}

type Wrong = Box<dyn Error + Send + Sync>;

impl Quotes {
    /// The quotes in the store's file, beside the store's own tables.
    pub(crate) async fn in_file(store: &SqliteStore) -> Result<Self, Wrong> {
        const TABLE: &str = "CREATE TABLE IF NOT EXISTS quote (tenant TEXT NOT NULL, run_id TEXT NOT NULL,
            gross TEXT NOT NULL, tax TEXT NOT NULL, PRIMARY KEY (tenant, run_id, gross, tax)) STRICT";
        store.transaction(|tx| -> Result<(), Wrong> { Ok(tx.execute_batch(TABLE)?) }).await?;
        Ok(Self::File(store.clone()))
    }

    pub(crate) async fn keep(&self, call: &CallContext, tax: &Tax) -> Result<(), ToolError> {
        let (run, quote) = (Run::of(call), Quote { gross: tax.gross_total, tax: tax.tax_amount });
        match self {
            Self::Memory(given) => {
                let mut given = given.lock().unwrap_or_else(PoisonError::into_inner);
                given.entry(run).or_default().insert(quote);
                Ok(())
            }
            Self::File(store) => {
                let keep = store.transaction(move |tx| -> Result<(), Wrong> {
                    let sql = "INSERT OR IGNORE INTO quote (tenant, run_id, gross, tax) VALUES (?1, ?2, ?3, ?4)";
                    tx.execute(sql, params![run.tenant, run.id, text(quote.gross), text(quote.tax)])?;
                    Ok(())
                });
                keep.await.map_err(ToolError::fatal)
            }
        }
    }

    /// Whether this gross and this tax were given together, in the call's own run.
    pub(crate) async fn gave(&self, call: &CallContext, gross: Decimal, tax: Decimal) -> Result<bool, ToolError> {
        let (run, quote) = (Run::of(call), Quote { gross, tax });
        match self {
            Self::Memory(given) => {
                let given = given.lock().unwrap_or_else(PoisonError::into_inner);
                Ok(given.get(&run).is_some_and(|quotes| quotes.contains(&quote)))
            }
            Self::File(store) => {
                let look = store.transaction(move |tx| -> Result<bool, Wrong> {
                    let sql = "SELECT EXISTS (
                        SELECT 1 FROM quote WHERE tenant = ?1 AND run_id = ?2 AND gross = ?3 AND tax = ?4)";
                    let asked = params![run.tenant, run.id, text(quote.gross), text(quote.tax)];
                    Ok(tx.query_row(sql, asked, |row| row.get(0))?)
                });
                look.await.map_err(|error| ToolError::fatal(error).not_done())
            }
        }
    }
}

/// One text for one value: 1800.00 as 1800.
fn text(amount: Decimal) -> String {
    amount.normalize().to_string()
}

impl Run {
    fn of(call: &CallContext) -> Self {
        Self { tenant: call.caller().tenant().to_owned(), id: call.run_id().to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use agent_core::SecurityContext;

    use super::*;

    fn amount(text: &str) -> Decimal {
        text.parse().unwrap()
    }

    #[tokio::test]
    async fn a_quote_counts_by_value_as_a_pair_and_only_for_its_tenant_and_its_run() {
        let of = |tenant: &str| CallContext::detached(SecurityContext::new("usr_1", tenant));
        let (ours, theirs) = (of("tenant_1"), of("tenant_2"));
        let another_run = of("tenant_1").with_run_id("another");
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(folder.path().join("quotes.db")).await.unwrap();
        for quotes in [Quotes::default(), Quotes::in_file(&store).await.unwrap()] {
            quotes.keep(&ours, &Tax::on(amount("1500"), "UK").unwrap()).await.unwrap();
            quotes.keep(&ours, &Tax::on(amount("100"), "UK").unwrap()).await.unwrap();
            let gave = async |call, gross, tax| quotes.gave(call, amount(gross), amount(tax)).await.unwrap();
            assert!(gave(&ours, "1800", "300.0").await);
            assert!(!gave(&ours, "1800", "20").await, "gross and tax of two quotes");
            assert!(!gave(&ours, "1800.01", "300").await);
            assert!(!gave(&theirs, "1800", "300").await);
            assert!(!gave(&another_run, "1800", "300").await);
        }
    }
}
