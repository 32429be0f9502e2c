//! Claims: asked for, renewed, settled.

use std::time::Duration;

use agent_core::idempotency::{
    Cause, Claim, ClaimHandle, ClaimRequest, Fence, IdempotencyKey, IdempotencyStore, Settled, StoreError,
};
use async_trait::async_trait;
use deadpool_postgres::Object;
use tokio_postgres::{Row, Transaction};

use super::PostgresStore;
use super::error::failure;
use super::patience::{Wrong, ask};
use crate::convert::{self, RUNNING, SETTLED, UNKNOWN, millis, stored_fence};

/// Claims what is not there, and writes nothing where it is. No row: it is there, or somebody else came in between.
const CLAIM: &str = "
    INSERT INTO agent_claim (tenant, key, digest, state, nonce, lease_until, tool, run_id, call_id, caller)
    SELECT $1, $2, $3, 0, $4, clock_timestamp() + $5::bigint * interval '1 millisecond', $6, $7, $8, $9
    WHERE NOT EXISTS (SELECT FROM agent_claim WHERE tenant = $1 AND key = $2)
    ON CONFLICT DO NOTHING
    RETURNING fence";

const LOOK: &str = "
    SELECT digest, fence, state, lease_until <= clock_timestamp() AS over, value, nonce
    FROM agent_claim WHERE tenant = $1 AND key = $2";

/// Takes an unknown claim over, unless somebody else has since it was found.
const TAKE: &str = "
    UPDATE agent_claim
    SET fence = nextval('agent_fence'), state = 0, nonce = $3, tool = $5, run_id = $6, call_id = $7, caller = $8,
        lease_until = clock_timestamp() + $4::bigint * interval '1 millisecond', claimed_at = clock_timestamp(),
        cause = NULL
    WHERE tenant = $1 AND key = $2 AND fence = $9
        AND (state = 2 OR (state = 0 AND lease_until <= clock_timestamp()))
    RETURNING fence";

const SETTLE: &str = "
    UPDATE agent_claim SET state = 1, value = $4, settled_at = clock_timestamp(), cause = NULL
    WHERE tenant = $1 AND key = $2 AND fence = $3 AND state IN (0, 2)";

/// A claim as it is found.
struct Found {
    digest: Vec<u8>,
    fence: i64,
    state: i16,
    over: bool,
    value: Option<String>,
    nonce: i64,
}

impl Found {
    fn of(row: &Row) -> Result<Self, tokio_postgres::Error> {
        Ok(Self {
            digest: row.try_get("digest")?,
            fence: row.try_get("fence")?,
            state: row.try_get("state")?,
            over: row.try_get("over")?,
            value: row.try_get("value")?,
            nonce: row.try_get("nonce")?,
        })
    }

    /// What it answers, unless it may be taken over.
    fn answer(&mut self, request: &ClaimRequest<'_>, nonce: i64) -> Result<Option<Claim>, StoreError> {
        if self.digest != request.digest.as_bytes() {
            return Ok(Some(Claim::Conflict));
        }
        Ok(Some(match self.state {
            // By an earlier try of the same question, whose answer was lost.
            RUNNING if self.nonce == nonce => Claim::Fresh(convert::fence(self.fence)?),
            RUNNING if !self.over => Claim::InFlight,
            SETTLED => Claim::Settled(convert::settled(self.value.take())?),
            RUNNING | UNKNOWN if request.repeat_unknown => return Ok(None),
            RUNNING | UNKNOWN => Claim::Unknown,
            other => return Err(convert::damaged(format!("the state {other} of a claim"))),
        }))
    }
}

async fn claim(client: &Object, request: &ClaimRequest<'_>, nonce: i64) -> Result<Claim, Wrong> {
    let (tenant, key, digest) = (request.key.tenant(), request.key.as_str(), request.digest.as_bytes().as_slice());
    let (lease, call_id) = (millis(request.lease), request.call_id.as_str());
    let (tool, run_id, user) = (request.tool, request.run_id, request.user);
    let make = client.prepare_cached(CLAIM).await?;
    // Each time round, one of all who ask has moved on.
    for _ in 0..100 {
        let made =
            client.query_opt(&make, &[&tenant, &key, &digest, &nonce, &lease, &tool, &run_id, &call_id, &user]).await?;
        if let Some(row) = made {
            return Ok(Claim::Fresh(convert::fence(row.try_get(0)?)?));
        }
        let look = client.prepare_cached(LOOK).await?;
        let Some(row) = client.query_opt(&look, &[&tenant, &key]).await? else { continue };
        let mut found = Found::of(&row)?;
        if let Some(answer) = found.answer(request, nonce)? {
            return Ok(answer);
        }
        let take = client.prepare_cached(TAKE).await?;
        let taken = client
            .query_opt(&take, &[&tenant, &key, &nonce, &lease, &tool, &run_id, &call_id, &user, &found.fence])
            .await?;
        if let Some(row) = taken {
            return Ok(Claim::Fresh(convert::fence(row.try_get(0)?)?));
        }
    }
    Ok(Claim::InFlight)
}

/// Whether the claim is settled by this fence and with this value.
async fn is_settled(client: &Object, key: &IdempotencyKey, fence: i64, settled: &Settled) -> Result<bool, Wrong> {
    let sql = "SELECT value FROM agent_claim WHERE tenant = $1 AND key = $2 AND fence = $3 AND state = 1";
    let look = client.prepare_cached(sql).await?;
    match client.query_opt(&look, &[&key.tenant(), &key.as_str(), &fence]).await? {
        Some(row) => Ok(convert::settled(row.try_get(0)?)?.is_same(settled)),
        None => Ok(false),
    }
}

pub(super) async fn settle_in(tx: &Transaction<'_>, claim: &ClaimHandle, settled: &Settled) -> Result<(), StoreError> {
    let fence = stored_fence(claim.fence()).ok_or(StoreError::LostFence)?;
    let (key, value) = (claim.key(), convert::text(settled)?);
    let changed = tx.execute(SETTLE, &[&key.tenant(), &key.as_str(), &fence, &value]).await;
    match changed.map_err(|error| failure("a claim cannot be settled", error))? {
        1 => Ok(()),
        _ => Err(StoreError::LostFence),
    }
}

#[async_trait]
impl IdempotencyStore for PostgresStore {
    async fn claim(&self, request: &ClaimRequest<'_>) -> Result<Claim, StoreError> {
        let nonce = getrandom::u64().map_err(|error| {
            StoreError::Failed(Cause::new("the system gives no randomness").because(std::io::Error::from(error)))
        })?;
        let nonce = nonce.cast_signed();
        ask!(&self.pool, "a claim cannot be made", |client| claim(&client, request, nonce).await)
    }

    async fn renew(&self, key: &IdempotencyKey, fence: Fence, lease: Duration) -> Result<(), StoreError> {
        let fence = stored_fence(fence).ok_or(StoreError::LostFence)?;
        let sql = "UPDATE agent_claim SET lease_until = clock_timestamp() + $4::bigint * interval '1 millisecond'
            WHERE tenant = $1 AND key = $2 AND fence = $3 AND state IN (0, 2)";
        let changed: Result<_, StoreError> = ask!(&self.pool, "a claim cannot be renewed", |client| {
            let change = client.prepare_cached(sql).await?;
            Ok(client.execute(&change, &[&key.tenant(), &key.as_str(), &fence, &millis(lease)]).await?)
        });
        held(changed?)
    }

    async fn settle(&self, key: &IdempotencyKey, fence: Fence, settled: &Settled) -> Result<(), StoreError> {
        let fence = stored_fence(fence).ok_or(StoreError::LostFence)?;
        let value = convert::text(settled)?;
        let done: Result<_, StoreError> = ask!(&self.pool, "a claim cannot be settled", |client| {
            let change = client.prepare_cached(SETTLE).await?;
            let changed = client.execute(&change, &[&key.tenant(), &key.as_str(), &fence, &value]).await?;
            Ok(changed == 1 || is_settled(&client, key, fence, settled).await?)
        });
        if done? { Ok(()) } else { Err(StoreError::LostFence) }
    }

    async fn release(&self, key: &IdempotencyKey, fence: Fence) -> Result<(), StoreError> {
        let fence = stored_fence(fence).ok_or(StoreError::LostFence)?;
        let sql = "DELETE FROM agent_claim WHERE tenant = $1 AND key = $2 AND fence = $3 AND state IN (0, 2)";
        let changed: Result<_, StoreError> = ask!(&self.pool, "a claim cannot be released", |client| {
            let change = client.prepare_cached(sql).await?;
            Ok(client.execute(&change, &[&key.tenant(), &key.as_str(), &fence]).await?)
        });
        held(changed?)
    }

    async fn mark_unknown(&self, key: &IdempotencyKey, fence: Fence, cause: &str) -> Result<(), StoreError> {
        let fence = stored_fence(fence).ok_or(StoreError::LostFence)?;
        let sql = "UPDATE agent_claim SET state = 2, cause = $4
            WHERE tenant = $1 AND key = $2 AND fence = $3 AND state IN (0, 2)";
        let changed: Result<_, StoreError> = ask!(&self.pool, "a claim cannot be marked", |client| {
            let change = client.prepare_cached(sql).await?;
            Ok(client.execute(&change, &[&key.tenant(), &key.as_str(), &fence, &cause]).await?)
        });
        held(changed?)
    }
}

pub(super) fn held(changed: u64) -> Result<(), StoreError> {
    if changed == 1 { Ok(()) } else { Err(StoreError::LostFence) }
}
