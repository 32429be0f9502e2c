//! The operator's side.

use std::time::Duration;

use agent_core::idempotency::{
    Audit, ClaimAdmin, ClaimHandle, IdempotencyKey, Operator, Resolution, StoreError, UnknownClaim,
};
use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, Row, named_params, params};

use super::SqliteStore;
use super::claims::next_fence;
use super::clock::{Moment, wall, wall_micros};
use super::error::failure;
use super::forget::{Pages, forget};
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

/// Resolves a claim and writes it down. In a transaction, so that both are done or neither.
fn resolve(
    connection: &Connection,
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
    let Some(found) = unknown(connection, claim, now).map_err(wrong)? else { return Err(StoreError::LostFence) };
    let at = wall_micros();
    let keep = || {
        let key = claim.key();
        let sql = "INSERT INTO agent_claim_audit (tenant, key, fence, tool, run_id, call_id, caller, claimed_at, cause,
                settled, value, who, why, at)
            SELECT tenant, key, :fence, tool, run_id, call_id, caller, claimed_at, cause, :settled, :value, :who, :why,
                :at FROM agent_claim WHERE tenant = :tenant AND key = :key";
        connection.execute(
            sql,
            named_params! {
                ":tenant": key.tenant(), ":key": key.as_str(), ":fence": found.fence, ":settled": settled,
                ":value": value, ":who": by.who(), ":why": by.why(), ":at": at,
            },
        )?;
        if settled {
            // A new fence, so that the former owner's is lost.
            let sql = "UPDATE agent_claim SET state = 1, fence = ?3, value = ?4, settled_at = ?5, cause = NULL
                WHERE tenant = ?1 AND key = ?2";
            connection.execute(sql, params![key.tenant(), key.as_str(), next_fence(connection)?, value, at])
        } else {
            let sql = "DELETE FROM agent_claim WHERE tenant = ?1 AND key = ?2";
            connection.execute(sql, params![key.tenant(), key.as_str()])
        }
    };
    keep().map_err(wrong)?;
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
        // Whoever takes an unfinished run up still needs its claims.
        const CLAIMS: Pages = Pages {
            what: "claims cannot be forgotten",
            page: "SELECT max(key), coalesce(sum(state = 1 AND settled_at <= ?3), 0) FROM (
                SELECT key, state, settled_at FROM agent_claim WHERE tenant = ?1 AND key > ?2 ORDER BY key LIMIT ?4)",
            forget: "DELETE FROM agent_claim
                WHERE tenant = ?1 AND key > ?2 AND key <= ?3 AND state = 1 AND settled_at <= ?4
                    AND NOT EXISTS (SELECT 1 FROM agent_run
                        WHERE tenant = ?1 AND run_id = agent_claim.run_id AND finished_at IS NULL)",
        };
        forget(self, &CLAIMS, tenant, settled_for).await
    }
}
