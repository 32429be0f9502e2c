//! The operator's side.

use std::time::{Duration, SystemTime};

use agent_core::idempotency::{
    Audit, ClaimAdmin, ClaimHandle, IdempotencyKey, Operator, Resolution, StoreError, UnknownClaim,
};
use async_trait::async_trait;
use tokio_postgres::{Error, Row};

use super::PostgresStore;
use super::error::{failure, unavailable};
use super::forget::{CLAIMS, forget};
use super::patience::ask;
use crate::convert::{self, AuditRow, ClaimRow, stored_fence};

/// Claims of a tenant that are unknown.
const UNKNOWN: &str = "SELECT tenant, key, fence, tool, run_id, call_id, caller, claimed_at, cause
    FROM agent_claim WHERE tenant = $1 AND (state = 2 OR (state = 0 AND lease_until <= clock_timestamp()))";

fn claim_row(row: &Row) -> Result<ClaimRow, Error> {
    Ok(ClaimRow {
        tenant: row.try_get("tenant")?,
        key: row.try_get("key")?,
        fence: row.try_get("fence")?,
        tool: row.try_get("tool")?,
        run_id: row.try_get("run_id")?,
        call_id: row.try_get("call_id")?,
        caller: row.try_get("caller")?,
        claimed_at: row.try_get("claimed_at")?,
        cause: row.try_get("cause")?,
    })
}

fn audit_row(row: &Row) -> Result<AuditRow, Error> {
    Ok(AuditRow {
        claim: claim_row(row)?,
        settled: row.try_get("settled")?,
        value: row.try_get("value")?,
        who: row.try_get("who")?,
        why: row.try_get("why")?,
        at: row.try_get("at")?,
    })
}

#[async_trait]
impl ClaimAdmin for PostgresStore {
    async fn unknown_claims(
        &self,
        tenant: &str,
        after: Option<&IdempotencyKey>,
        at_most: u32,
    ) -> Result<Vec<UnknownClaim>, StoreError> {
        let after = after.map_or("", IdempotencyKey::as_str);
        let sql = format!("{UNKNOWN} AND key > $2 ORDER BY key LIMIT $3");
        ask!(&self.pool, "unknown claims cannot be listed", |client| {
            let rows = client.query(&sql, &[&tenant, &after, &i64::from(at_most)]).await?;
            let mut claims = Vec::with_capacity(rows.len());
            for row in &rows {
                claims.push(claim_row(row)?.claim()?);
            }
            Ok(claims)
        })
    }

    async fn resolve(&self, claim: &ClaimHandle, how: &Resolution, by: &Operator) -> Result<Audit, StoreError> {
        let wrong = |error| failure("a claim cannot be resolved", error);
        let (key, fence) = (claim.key(), stored_fence(claim.fence()).ok_or(StoreError::LostFence)?);
        let (settled, value) = match how {
            Resolution::Settle(settled) => (true, convert::text(settled)?),
            Resolution::Release => (false, None),
        };
        let mut client = self.pool.get().await.map_err(unavailable)?;
        let tx = client.transaction().await.map_err(wrong)?;
        let found = format!("{UNKNOWN} AND key = $2 AND fence = $3 FOR UPDATE");
        let row = tx.query_opt(&found, &[&key.tenant(), &key.as_str(), &fence]).await.map_err(wrong)?;
        let Some(row) = row else { return Err(StoreError::LostFence) };
        let found = claim_row(&row).map_err(wrong)?;
        let kept = async {
            if settled {
                // A new fence, so that the former owner's is lost.
                let sql = "UPDATE agent_claim SET state = 1, fence = nextval('agent_fence'), value = $3,
                    settled_at = clock_timestamp(), cause = NULL WHERE tenant = $1 AND key = $2";
                tx.execute(sql, &[&key.tenant(), &key.as_str(), &value]).await?;
            } else {
                let sql = "DELETE FROM agent_claim WHERE tenant = $1 AND key = $2";
                tx.execute(sql, &[&key.tenant(), &key.as_str()]).await?;
            }
            let sql = "INSERT INTO agent_claim_audit (tenant, key, fence, tool, run_id, call_id, caller, claimed_at,
                    cause, settled, value, who, why)
                VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) RETURNING at";
            let row = tx
                .query_one(
                    sql,
                    &[
                        &found.tenant,
                        &found.key,
                        &found.fence,
                        &found.tool,
                        &found.run_id,
                        &found.call_id,
                        &found.caller,
                        &found.claimed_at,
                        &found.cause,
                        &settled,
                        &value,
                        &by.who(),
                        &by.why(),
                    ],
                )
                .await?;
            row.try_get::<_, SystemTime>(0)
        };
        let at = kept.await.map_err(wrong)?;
        tx.commit().await.map_err(wrong)?;
        Ok(Audit::new(found.claim()?, how.clone(), by.clone(), at))
    }

    async fn audits(&self, tenant: &str, at_most: u32) -> Result<Vec<Audit>, StoreError> {
        ask!(&self.pool, "audit records cannot be listed", |client| {
            let sql = "SELECT * FROM agent_claim_audit WHERE tenant = $1 ORDER BY id DESC LIMIT $2";
            let rows = client.query(sql, &[&tenant, &i64::from(at_most)]).await?;
            let mut audits = Vec::with_capacity(rows.len());
            for row in &rows {
                audits.push(audit_row(row)?.audit()?);
            }
            Ok(audits)
        })
    }

    async fn forget_claims(&self, tenant: &str, settled_for: Duration) -> Result<u64, StoreError> {
        forget(self, CLAIMS, tenant, settled_for).await
    }
}
