//! The tables, and how older ones become newer ones.

use agent_core::idempotency::{Cause, StoreError};
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior};

use super::error::failure;

/// Each entry brings the tables from one version to the next. What has been released is never changed.
const STEPS: &[&str] = &[include_str!("schema/1.sql"), include_str!("schema/2.sql")];

/// The version of this build.
const VERSION: u32 = STEPS.len() as u32;

/// Brings the tables up to this version, all or nothing.
///
/// The version is in a table of ours: `user_version` may be the application's, whose tables stand beside these.
pub(super) fn migrate(connection: &mut Connection) -> Result<(), StoreError> {
    let wrong = |error| failure("the store's tables cannot be brought up to date", error);
    // A store that is up to date is only read, so that one that is read-only can be opened.
    if version(connection).map_err(wrong)? == VERSION {
        return Ok(());
    }
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(wrong)?;
    let found = version(&tx).map_err(wrong)?;
    if found > VERSION {
        return Err(newer(found));
    }
    apply(&tx, found).map_err(wrong)?;
    tx.commit().map_err(wrong)
}

fn version(connection: &Connection) -> rusqlite::Result<u32> {
    let exists = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'agent_schema'";
    if connection.query_row(exists, [], |_| Ok(())).optional()?.is_none() {
        return Ok(0);
    }
    connection.query_row("SELECT max(version) FROM agent_schema", [], |row| row.get(0))
}

fn apply(tx: &Transaction<'_>, from: u32) -> rusqlite::Result<()> {
    tx.execute_batch("CREATE TABLE IF NOT EXISTS agent_schema (version INTEGER NOT NULL) STRICT")?;
    for step in STEPS.iter().skip(from as usize) {
        tx.execute_batch(step)?;
    }
    tx.execute("DELETE FROM agent_schema", [])?;
    tx.execute("INSERT INTO agent_schema (version) VALUES (?1)", [VERSION])?;
    Ok(())
}

fn newer(found: u32) -> StoreError {
    StoreError::Version(Cause::new(format!("its tables are of version {found}, and this build knows {VERSION}")))
}
