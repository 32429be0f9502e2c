//! A ledger in the database of the store.

use std::path::Path;
use std::sync::Arc;

use agent_core::idempotency::{ClaimHandle, IdempotencyStore};
use agent_core::run_store::RunStore;
use agent_store::{PostgresOptions, PostgresStore, SqliteStore};

use super::Wrong;
use super::halt::halt;

#[derive(Debug)]
pub(super) enum Ledger {
    Sqlite(SqliteStore),
    Postgres(PostgresStore),
}

impl Ledger {
    pub(super) async fn open(store: &str, folder: &Path) -> Result<Self, Wrong> {
        let ledger = if store == "sqlite" {
            Self::Sqlite(SqliteStore::open(folder.join("s.db")).await?)
        } else {
            Self::Postgres(PostgresOptions::new(store).connections(2).open().await?)
        };
        const TABLE: &str = "CREATE TABLE IF NOT EXISTS ledger (amount bigint NOT NULL)";
        match &ledger {
            Self::Sqlite(store) => {
                store.transaction(|tx| -> Result<(), Wrong> { Ok(tx.execute_batch(TABLE)?) }).await?;
            }
            Self::Postgres(store) => store.pool().get().await?.batch_execute(TABLE).await?,
        }
        Ok(ledger)
    }

    pub(super) fn claims(&self) -> Arc<dyn IdempotencyStore> {
        match self {
            Self::Sqlite(store) => Arc::new(store.clone()),
            Self::Postgres(store) => Arc::new(store.clone()),
        }
    }

    pub(super) fn runs(&self) -> Arc<dyn RunStore> {
        match self {
            Self::Sqlite(store) => Arc::new(store.clone()),
            Self::Postgres(store) => Arc::new(store.clone()),
        }
    }

    /// Books and settles in one transaction. In the middle of it is a point.
    pub(super) async fn book(&self, amount: i64, claim: &ClaimHandle, answer: &'static str) -> Result<(), Wrong> {
        match self {
            Self::Sqlite(store) => {
                let claim = claim.clone();
                let work = store.transaction(move |tx| -> Result<(), Wrong> {
                    tx.execute("INSERT INTO ledger (amount) VALUES (?1)", [amount])?;
                    SqliteStore::settle_in(tx, &claim, answer)?;
                    halt("in the tool");
                    Ok(())
                });
                work.await
            }
            Self::Postgres(store) => {
                let mut client = store.pool().get().await?;
                let tx = client.transaction().await?;
                tx.execute("INSERT INTO ledger (amount) VALUES ($1)", &[&amount]).await?;
                PostgresStore::settle_in(&tx, claim, answer).await?;
                halt("in the tool");
                Ok(tx.commit().await?)
            }
        }
    }

    pub(super) async fn count(&self) -> Result<usize, Wrong> {
        const COUNT: &str = "SELECT count(*) FROM ledger";
        let count: i64 = match self {
            Self::Sqlite(store) => {
                let count = |tx: &agent_store::rusqlite::Transaction<'_>| -> Result<i64, Wrong> {
                    Ok(tx.query_row(COUNT, [], |row| row.get(0))?)
                };
                store.transaction(count).await?
            }
            Self::Postgres(store) => store.pool().get().await?.query_one(COUNT, &[]).await?.get(0),
        };
        Ok(usize::try_from(count)?)
    }
}
