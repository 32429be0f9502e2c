//! The operator's side.

use std::time::Duration;

use agent_core::idempotency::{
    Audit, ClaimAdmin, ClaimHandle, IdempotencyKey, Operator, Resolution, StoreError, UnknownClaim,
};
use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, Row, TransactionBehavior, named_params, params};

use super::SqliteStore;
use super::clock::{Moment, wall, wall_micros};
use super::error::failure;
use crate::convert::{self, AuditRow, ClaimRow, stored_fence};

fn claim_row(row: &Row<'_>) -> rusqlite::Result<ClaimRow> {
    Ok(ClaimRow {
        tenant: row.get("tenant")?,
        key: row.get("key")?,
        fence: row.get("fence")?,
        tool: row.get("tool")?,
        run_id: row.get("run_id")?,
        call_id: row.get("call_id")?,
        caller: row.get("caller")?,
        claimed_at: wall(row.get("claimed_at")?),
        cause: row.get("cause")?,
    })
}

fn audit_row(row: &Row<'_>) -> rusqlite::Result<AuditRow> {
    Ok(AuditRow {
        claim: claim_row(row)?,
        settled: row.get("settled")?,
        value: row.get("value")?,
        who: row.get("who")?,
        why: row.get("why")?,
        at: wall(row.get("at")?),
    })
}

/// The claim, if it is unknown under this fence.
fn unknown(connection: &Connection, claim: &ClaimHandle, now: &Moment) -> rusqlite::Result<Option<ClaimRow>> {
    let sql = "SELECT * FROM agent_claim WHERE tenant = ?1 AND key = ?2 AND fence = ?3
        AND (state = 2 OR (state = 0 AND (boot <> ?4 OR lease_until <= ?5)))";
    let (key, fence) = (claim.key(), stored_fence(claim.fence()));
    let found = params![key.tenant(), key.as_str(), fence, &*now.boot, now.at];
    connection.query_row(sql, found, claim_row).optional()
}

fn resolve(
    connection: &mut Connection,
    claim: &ClaimHandle,
    how: &Resolution,
    by: &Operator,
    now: &Moment,
) -> Result<Audit, StoreError> {
    let wrong = |error| failure("a claim cannot be resolved", error);
    let (settled, value) = match how {
        Resolution::Settle(settled) => (true, convert::text(settled)?),
        Resolution::Release => (false, None),
    };
    let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(wrong)?;
    let Some(found) = unknown(&tx, claim, now).map_err(wrong)? else { return Err(StoreError::LostFence) };
    let at = wall_micros();
    let keep = || {
        let key = claim.key();
        // A higher fence, so that the former owner's is lost.
        let sql = "UPDATE agent_claim SET state = ?3, fence = max(fence + 1, ?5), value = ?4, settled_at = ?5
            WHERE tenant = ?1 AND key = ?2";
        tx.execute(sql, params![key.tenant(), key.as_str(), if settled { 1 } else { 3 }, value, at])?;
        let sql = "INSERT INTO agent_claim_audit (tenant, key, fence, tool, run_id, call_id, caller, claimed_at, cause,
                settled, value, who, why, at)
            SELECT tenant, key, :fence, tool, run_id, call_id, caller, claimed_at, cause, :settled, :value, :who, :why,
                :at FROM agent_claim WHERE tenant = :tenant AND key = :key";
        tx.execute(
            sql,
            named_params! {
                ":tenant": key.tenant(), ":key": key.as_str(), ":fence": found.fence, ":settled": settled,
                ":value": value, ":who": by.who(), ":why": by.why(), ":at": at,
            },
        )
    };
    keep().map_err(wrong)?;
    tx.commit().map_err(wrong)?;
    Ok(Audit::new(found.claim()?, how.clone(), by.clone(), wall(at)))
}

#[async_trait]
impl ClaimAdmin for SqliteStore {
    async fn unknown_claims(
        &self,
        tenant: &str,
        after: Option<&IdempotencyKey>,
        at_most: u32,
    ) -> Result<Vec<UnknownClaim>, StoreError> {
        let (tenant, after) = (tenant.to_owned(), after.map_or_else(String::new, |key| key.as_str().to_owned()));
        let now = self.inner.clock.now();
        self.read(move |connection| {
            let sql = "SELECT * FROM agent_claim WHERE tenant = ?1 AND key > ?2
                    AND (state = 2 OR (state = 0 AND (boot <> ?3 OR lease_until <= ?4)))
                ORDER BY key LIMIT ?5";
            let rows = connection.prepare_cached(sql).and_then(|mut statement| {
                let asked = params![tenant, after, &*now.boot, now.at, at_most];
                statement.query_map(asked, claim_row)?.collect::<rusqlite::Result<Vec<_>>>()
            });
            let rows = rows.map_err(|error| failure("unknown claims cannot be listed", error))?;
            rows.into_iter().map(ClaimRow::claim).collect()
        })
        .await
    }

    async fn resolve(&self, claim: &ClaimHandle, how: &Resolution, by: &Operator) -> Result<Audit, StoreError> {
        let (claim, how, by) = (claim.clone(), how.clone(), by.clone());
        let clock = self.inner.clock.clone();
        self.write(move |connection| resolve(connection, &claim, &how, &by, &clock.now())).await
    }

    async fn audits(&self, tenant: &str, at_most: u32) -> Result<Vec<Audit>, StoreError> {
        let tenant = tenant.to_owned();
        self.read(move |connection| {
            let sql = "SELECT * FROM agent_claim_audit WHERE tenant = ?1 ORDER BY id DESC LIMIT ?2";
            let rows = connection.prepare_cached(sql).and_then(|mut statement| {
                statement.query_map(params![tenant, at_most], audit_row)?.collect::<rusqlite::Result<Vec<_>>>()
            });
            let rows = rows.map_err(|error| failure("audit records cannot be listed", error))?;
            rows.into_iter().map(AuditRow::audit).collect()
        })
        .await
    }

    async fn forget_claims(&self, tenant: &str, settled_for: Duration) -> Result<u64, StoreError> {
        let tenant = tenant.to_owned();
        let micros = i64::try_from(settled_for.as_micros()).unwrap_or(i64::MAX);
        self.write(move |connection| {
            let before = wall_micros().saturating_sub(micros);
            let forget = |state: i16| {
                let sql = "DELETE FROM agent_claim WHERE tenant = ?1 AND state = ?2 AND settled_at <= ?3";
                connection.prepare_cached(sql)?.execute(params![tenant, state, before])
            };
            // Released ones, which are not there for anybody outside, go with them.
            let gone = forget(3).and_then(|_| forget(1));
            gone.map(|gone| gone as u64).map_err(|error| failure("claims cannot be forgotten", error))
        })
        .await
    }
}
