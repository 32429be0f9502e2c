//! The tables, and how older ones become newer ones.

use agent_core::idempotency::{Cause, StoreError};
use deadpool_postgres::{GenericClient, Pool};

use super::error::{failure, unavailable};

/// Each entry brings the tables from one version to the next. What has been released is never changed.
const STEPS: &[&str] = &[include_str!("schema/1.sql")];

/// The version of this build.
const VERSION: i32 = STEPS.len() as i32;

/// One at a time in a database: "agent" in ASCII.
const LOCK: i64 = 0x61_67_65_6e_74;

/// Brings the tables up to this version, all or nothing.
pub(super) async fn migrate(pool: &Pool) -> Result<(), StoreError> {
    let wrong = |error| failure("the store's tables cannot be brought up to date", error);
    let mut client = pool.get().await.map_err(unavailable)?;
    // A store that is up to date is only read, so that one that is read-only can be opened.
    if version(&client).await.map_err(wrong)? == VERSION {
        return Ok(());
    }
    let tx = client.transaction().await.map_err(wrong)?;
    tx.execute("SELECT pg_advisory_xact_lock($1)", &[&LOCK]).await.map_err(wrong)?;
    let found = version(&tx).await.map_err(wrong)?;
    if found > VERSION {
        return Err(StoreError::Version(Cause::new(format!(
            "its tables are of version {found}, and this build knows {VERSION}"
        ))));
    }
    let apply = async {
        tx.batch_execute("CREATE TABLE IF NOT EXISTS agent_schema (version integer NOT NULL)").await?;
        for step in STEPS.iter().skip(usize::try_from(found).unwrap_or_default()) {
            tx.batch_execute(step).await?;
        }
        tx.execute("DELETE FROM agent_schema", &[]).await?;
        tx.execute("INSERT INTO agent_schema (version) VALUES ($1)", &[&VERSION]).await
    };
    apply.await.map_err(wrong)?;
    tx.commit().await.map_err(wrong)
}

async fn version(client: &impl GenericClient) -> Result<i32, tokio_postgres::Error> {
    // Not `to_regclass`: after waiting for the lock it may still remember that the table was not there.
    let exists = "SELECT EXISTS (SELECT FROM pg_catalog.pg_class
        WHERE relname = 'agent_schema' AND pg_catalog.pg_table_is_visible(oid))";
    let exists = client.query_one(exists, &[]).await?;
    if !exists.try_get::<_, bool>(0)? {
        return Ok(0);
    }
    client.query_one("SELECT coalesce(max(version), 0) FROM agent_schema", &[]).await?.try_get(0)
}
