//! Claims: asked for, renewed, settled.

use std::time::Duration;

use agent_core::arguments::Digest;
use agent_core::idempotency::{Claim, ClaimRequest, Fence, IdempotencyKey, IdempotencyStore, Settled, StoreError};
use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, named_params, params};

use super::SqliteStore;
use super::clock::{Moment, wall_micros};
use super::error::failure;
use super::fences::Fences;
use crate::convert::{self, RUNNING, SETTLED, UNKNOWN, stored_fence};

/// What is asked for, owned by the job that asks.
struct Asked {
    key: IdempotencyKey,
    digest: Digest,
    tool: String,
    run_id: String,
    call_id: String,
    caller: String,
    lease: Duration,
    repeat_unknown: bool,
}

impl From<&ClaimRequest<'_>> for Asked {
    fn from(request: &ClaimRequest<'_>) -> Self {
        Self {
            key: request.key.clone(),
            digest: *request.digest,
            tool: request.tool.to_owned(),
            run_id: request.run_id.to_owned(),
            call_id: request.call_id.as_str().to_owned(),
            caller: request.user.to_owned(),
            lease: request.lease,
            repeat_unknown: request.repeat_unknown,
        }
    }
}

/// A claim as it is found.
struct Found {
    digest: Vec<u8>,
    state: i16,
    over: bool,
    value: Option<String>,
}

/// The claim as it is. One of state 3 was released by a process that still runs version 1, and counts as none.
fn find(connection: &Connection, key: &IdempotencyKey, now: &Moment) -> rusqlite::Result<Option<Found>> {
    let sql = "SELECT digest, state, boot <> ?3 OR lease_until <= ?4, value
        FROM agent_claim WHERE tenant = ?1 AND key = ?2 AND state <> 3";
    let mut statement = connection.prepare_cached(sql)?;
    let found = statement.query_row(params![key.tenant(), key.as_str(), &*now.boot, now.at], |row| {
        Ok(Found { digest: row.get(0)?, state: row.get(1)?, over: row.get(2)?, value: row.get(3)? })
    });
    found.optional()
}

/// What is answered to a claim without a change; none where it may be made.
fn look(connection: &Connection, asked: &Asked, now: &Moment) -> Result<Option<Claim>, StoreError> {
    let Some(found) = find(connection, &asked.key, now).map_err(|error| failure("a claim cannot be made", error))?
    else {
        return Ok(None);
    };
    if found.digest != asked.digest.as_bytes() {
        return Ok(Some(Claim::Conflict));
    }
    Ok(Some(match found.state {
        SETTLED => Claim::Settled(convert::settled(found.value)?),
        RUNNING if !found.over => Claim::InFlight,
        RUNNING | UNKNOWN if asked.repeat_unknown => return Ok(None),
        RUNNING | UNKNOWN => Claim::Unknown,
        other => return Err(convert::damaged(format!("the state {other} of a claim"))),
    }))
}

/// Claims what is not there, or takes over what is unknown. In a transaction, so nobody comes in between.
fn claim(connection: &Connection, asked: &Asked, now: &Moment, fences: &Fences) -> Result<Claim, StoreError> {
    const MAKE: &str = "INSERT INTO agent_claim
            (tenant, key, digest, fence, state, boot, lease_until, tool, run_id, call_id, caller, claimed_at)
        VALUES (:tenant, :key, :digest, :fence, 0, :boot, :until, :tool, :run_id, :call_id, :caller, :wall)
        ON CONFLICT DO NOTHING";
    const TAKE: &str = "UPDATE agent_claim
        SET digest = :digest, fence = :fence, state = 0, boot = :boot, lease_until = :until, tool = :tool,
            run_id = :run_id, call_id = :call_id, caller = :caller, claimed_at = :wall, cause = NULL
        WHERE tenant = :tenant AND key = :key";
    let change = |sql: &str, fence: i64| {
        connection.prepare_cached(sql)?.execute(named_params! {
            ":tenant": asked.key.tenant(), ":key": asked.key.as_str(), ":digest": asked.digest.as_bytes(),
            ":fence": fence, ":boot": &*now.boot, ":until": now.after(asked.lease), ":tool": asked.tool,
            ":run_id": asked.run_id, ":call_id": asked.call_id, ":caller": asked.caller, ":wall": wall_micros(),
        })
    };
    let wrong = |error| failure("a claim cannot be made", error);
    let fence = fences.next(connection).map_err(wrong)?;
    // It was looked for before, so most often it is not there.
    if change(MAKE, fence).map_err(wrong)? == 0 {
        if let Some(answer) = look(connection, asked, now)? {
            return Ok(answer);
        }
        change(TAKE, fence).map_err(wrong)?;
    }
    Ok(Claim::Fresh(convert::fence(fence)?))
}

/// Settles a claim that the fence holds; false where it does not.
pub(super) fn settle(
    connection: &Connection,
    key: &IdempotencyKey,
    fence: Fence,
    settled: &Settled,
) -> Result<bool, StoreError> {
    let wrong = |error| failure("a claim cannot be settled", error);
    let Some(fence) = stored_fence(fence) else { return Ok(false) };
    let sql = "UPDATE agent_claim SET state = 1, value = ?4, settled_at = ?5, cause = NULL
        WHERE tenant = ?1 AND key = ?2 AND fence = ?3 AND state IN (0, 2)";
    let mut statement = connection.prepare_cached(sql).map_err(wrong)?;
    let changed = statement.execute(params![key.tenant(), key.as_str(), fence, convert::text(settled)?, wall_micros()]);
    Ok(changed.map_err(wrong)? == 1)
}

/// Whether the claim is settled by this fence and with this value.
fn is_settled(
    connection: &Connection,
    key: &IdempotencyKey,
    fence: Fence,
    settled: &Settled,
) -> Result<bool, StoreError> {
    let sql = "SELECT value FROM agent_claim WHERE tenant = ?1 AND key = ?2 AND fence = ?3 AND state = 1";
    let found = connection.prepare_cached(sql).and_then(|mut statement| {
        statement.query_row(params![key.tenant(), key.as_str(), stored_fence(fence)], |row| row.get(0)).optional()
    });
    match found.map_err(|error| failure("a claim cannot be read", error))? {
        Some(value) => Ok(convert::settled(value)?.is_same(settled)),
        None => Ok(false),
    }
}

/// One change of a claim that the fence holds.
async fn change(
    store: &SqliteStore,
    key: &IdempotencyKey,
    fence: Fence,
    mut change: impl FnMut(&Connection, &IdempotencyKey, i64) -> rusqlite::Result<usize> + Send + 'static,
) -> Result<(), StoreError> {
    let key = key.clone();
    let fence = stored_fence(fence).ok_or(StoreError::LostFence)?;
    let changed = store.write(move |connection| {
        change(connection, &key, fence).map_err(|error| failure("a claim cannot be changed", error))
    });
    if changed.await? == 1 { Ok(()) } else { Err(StoreError::LostFence) }
}

#[async_trait]
impl IdempotencyStore for SqliteStore {
    async fn claim(&self, request: &ClaimRequest<'_>) -> Result<Claim, StoreError> {
        let asked = std::sync::Arc::new(Asked::from(request));
        let (clock, looked) = (self.inner.clock.clone(), asked.clone());
        let (now, fences) = (clock.clone(), self.inner.fences.clone());
        self.inner
            .writer
            .join(
                move |connection| look(connection, &looked, &now.now()),
                move |connection| claim(connection, &asked, &clock.now(), &fences),
            )
            .await
    }

    async fn renew(&self, key: &IdempotencyKey, fence: Fence, lease: Duration) -> Result<(), StoreError> {
        let clock = self.inner.clock.clone();
        change(self, key, fence, move |connection, key, fence| {
            // An unknown claim stays unknown; only its owner's fence is looked at.
            let sql = "UPDATE agent_claim SET boot = ?4, lease_until = ?5
                WHERE tenant = ?1 AND key = ?2 AND fence = ?3 AND state IN (0, 2)";
            let now = clock.now();
            let until = now.after(lease);
            connection.prepare_cached(sql)?.execute(params![key.tenant(), key.as_str(), fence, &*now.boot, until])
        })
        .await
    }

    async fn settle(&self, key: &IdempotencyKey, fence: Fence, settled: &Settled) -> Result<(), StoreError> {
        let (key, settled) = (key.clone(), settled.clone());
        self.write(move |connection| {
            let done = settle(connection, &key, fence, &settled)? || is_settled(connection, &key, fence, &settled)?;
            if done { Ok(()) } else { Err(StoreError::LostFence) }
        })
        .await
    }

    async fn release(&self, key: &IdempotencyKey, fence: Fence) -> Result<(), StoreError> {
        change(self, key, fence, |connection, key, fence| {
            let sql = "DELETE FROM agent_claim WHERE tenant = ?1 AND key = ?2 AND fence = ?3 AND state IN (0, 2)";
            connection.prepare_cached(sql)?.execute(params![key.tenant(), key.as_str(), fence])
        })
        .await
    }

    async fn mark_unknown(&self, key: &IdempotencyKey, fence: Fence, cause: &str) -> Result<(), StoreError> {
        let cause = cause.to_owned();
        change(self, key, fence, move |connection, key, fence| {
            let sql = "UPDATE agent_claim SET state = 2, cause = ?4
                WHERE tenant = ?1 AND key = ?2 AND fence = ?3 AND state IN (0, 2)";
            connection.prepare_cached(sql)?.execute(params![key.tenant(), key.as_str(), fence, cause])
        })
        .await
    }
}
