//! Runs.

use std::time::Duration;

use agent_core::idempotency::{Fence, StoreError};
use agent_core::run::Run;
use agent_core::run_store::{Mismatch, OpenRun, Opened, RunStore, StoredRun};
use async_trait::async_trait;
use deadpool_postgres::Object;
use tokio_postgres::Row;

use super::PostgresStore;
use super::claims::held;
use super::forget::{RUNS, forget};
use super::patience::{Wrong, ask};
use crate::convert::{self, millis, stored_fence};

/// Looks, and begins only what is not there. No row: somebody else came in between.
const OPEN: &str = "
    WITH old AS (
        SELECT caller, prompt, fence, lease_until <= clock_timestamp() AS over, finished_at IS NOT NULL AS finished,
            run, false AS new
        FROM agent_run WHERE tenant = $1 AND run_id = $2
    ), new AS (
        INSERT INTO agent_run (tenant, run_id, caller, prompt, run, lease_until)
        SELECT $1, $2, $3, $4, $5, clock_timestamp() + $6::bigint * interval '1 millisecond'
        WHERE NOT EXISTS (SELECT FROM old)
        ON CONFLICT DO NOTHING
        RETURNING caller, prompt, fence, false AS over, false AS finished, '' AS run, true AS new
    )
    SELECT * FROM old UNION ALL SELECT * FROM new";

/// Takes a run up, unless somebody else has since it was found.
const TAKE_UP: &str = "
    UPDATE agent_run
    SET fence = nextval('agent_fence'), lease_until = clock_timestamp() + $4::bigint * interval '1 millisecond'
    WHERE tenant = $1 AND run_id = $2 AND fence = $3 AND finished_at IS NULL AND lease_until <= clock_timestamp()
    RETURNING fence, run";

async fn open(client: &Object, request: &OpenRun<'_>, text: &str) -> Result<Opened, Wrong> {
    let (tenant, run_id, user) = (request.run.tenant(), request.run.id(), request.run.user());
    let (prompt, lease) = (request.prompt.as_bytes().as_slice(), millis(request.lease));
    let look = client.prepare_cached(OPEN).await?;
    // Each time round, one of all who ask has moved on.
    for _ in 0..100 {
        let found = client.query_opt(&look, &[&tenant, &run_id, &user, &prompt, &text, &lease]).await?;
        let Some(row) = found else { continue };
        if let Some(answer) = answer(&row, request)? {
            return Ok(answer);
        }
        // Read before it is taken, so that a run that this build cannot read stays where it is.
        convert::read(row.try_get("run")?)?;
        let take = client.prepare_cached(TAKE_UP).await?;
        let fence: i64 = row.try_get("fence")?;
        if let Some(row) = client.query_opt(&take, &[&tenant, &run_id, &fence, &lease]).await? {
            // The text again: its owner may have saved it, late, since it was read.
            let run = convert::read(row.try_get("run")?)?;
            return Ok(Opened::TakenUp { run, fence: convert::fence(row.try_get("fence")?)? });
        }
    }
    Ok(Opened::Owned)
}

/// What a run that is there, or was just begun, answers, unless it may be taken up.
fn answer(row: &Row, request: &OpenRun<'_>) -> Result<Option<Opened>, Wrong> {
    Ok(Some(if row.try_get("new")? {
        Opened::New(convert::fence(row.try_get("fence")?)?)
    } else if row.try_get::<_, &str>("caller")? != request.run.user() {
        Opened::Mismatch(Mismatch::Caller)
    } else if row.try_get::<_, &[u8]>("prompt")? != request.prompt.as_bytes() {
        Opened::Mismatch(Mismatch::Prompt)
    } else if row.try_get("finished")? {
        Opened::Finished(convert::read(row.try_get("run")?)?)
    } else if !row.try_get::<_, bool>("over")? {
        Opened::Owned
    } else {
        return Ok(None);
    }))
}

#[async_trait]
impl RunStore for PostgresStore {
    async fn load(&self, tenant: &str, run_id: &str) -> Result<StoredRun, StoreError> {
        let sql = "SELECT run, finished_at IS NOT NULL FROM agent_run WHERE tenant = $1 AND run_id = $2";
        ask!(&self.pool, "a run cannot be read", |client| {
            let look = client.prepare_cached(sql).await?;
            let Some(row) = client.query_opt(&look, &[&tenant, &run_id]).await? else { return Ok(StoredRun::None) };
            let run = convert::read(row.try_get(0)?)?;
            Ok(if row.try_get(1)? { StoredRun::Finished(run) } else { StoredRun::Unfinished(run) })
        })
    }

    async fn open(&self, request: &OpenRun<'_>) -> Result<Opened, StoreError> {
        let text = convert::written(request.run)?;
        // Asked again after a lost answer, it may say that the run is owned: by the try that was lost.
        ask!(&self.pool, "a run cannot be opened", |client| open(&client, request, &text).await)
    }

    async fn save(&self, run: &Run, fence: Fence, lease: Duration) -> Result<(), StoreError> {
        let fence = stored_fence(fence).ok_or(StoreError::LostFence)?;
        let text = convert::written(run)?;
        let sql = "UPDATE agent_run
            SET run = $4, lease_until = clock_timestamp() + $5::bigint * interval '1 millisecond'
            WHERE tenant = $1 AND run_id = $2 AND fence = $3 AND finished_at IS NULL AND lease_until > '-infinity'";
        let changed: Result<_, StoreError> = ask!(&self.pool, "a run cannot be saved", |client| {
            let change = client.prepare_cached(sql).await?;
            Ok(client.execute(&change, &[&run.tenant(), &run.id(), &fence, &text, &millis(lease)]).await?)
        });
        held(changed?)
    }

    async fn keep(&self, tenant: &str, run_id: &str, fence: Fence, lease: Duration) -> Result<(), StoreError> {
        let fence = stored_fence(fence).ok_or(StoreError::LostFence)?;
        let sql = "UPDATE agent_run SET lease_until = clock_timestamp() + $4::bigint * interval '1 millisecond'
            WHERE tenant = $1 AND run_id = $2 AND fence = $3 AND finished_at IS NULL AND lease_until > '-infinity'";
        let changed: Result<_, StoreError> = ask!(&self.pool, "a run cannot be kept", |client| {
            let change = client.prepare_cached(sql).await?;
            Ok(client.execute(&change, &[&tenant, &run_id, &fence, &millis(lease)]).await?)
        });
        held(changed?)
    }

    async fn finish(&self, run: &Run, fence: Fence) -> Result<(), StoreError> {
        let fence = stored_fence(fence).ok_or(StoreError::LostFence)?;
        let text = convert::written(run)?;
        // The second condition lets the same end be said again.
        let sql = "UPDATE agent_run SET run = $4, finished_at = coalesce(finished_at, clock_timestamp())
            WHERE tenant = $1 AND run_id = $2 AND fence = $3
                AND (finished_at IS NULL AND lease_until > '-infinity' OR finished_at IS NOT NULL AND run = $4)";
        let changed: Result<_, StoreError> = ask!(&self.pool, "a run cannot be finished", |client| {
            let change = client.prepare_cached(sql).await?;
            Ok(client.execute(&change, &[&run.tenant(), &run.id(), &fence, &text]).await?)
        });
        held(changed?)
    }

    async fn hand_over(&self, tenant: &str, run_id: &str, fence: Fence) -> Result<(), StoreError> {
        let fence = stored_fence(fence).ok_or(StoreError::LostFence)?;
        // The owner's own changes ask for a later lease, so that one which was dropped and comes late, on another
        // connection, does not own the run again.
        let sql = "UPDATE agent_run SET lease_until = '-infinity'
            WHERE tenant = $1 AND run_id = $2 AND fence = $3 AND finished_at IS NULL";
        let changed: Result<_, StoreError> = ask!(&self.pool, "a run cannot be handed over", |client| {
            let change = client.prepare_cached(sql).await?;
            Ok(client.execute(&change, &[&tenant, &run_id, &fence]).await?)
        });
        held(changed?)
    }

    async fn abandoned_runs(&self, tenant: &str, after: Option<&str>, at_most: u32) -> Result<Vec<String>, StoreError> {
        let sql = "SELECT run_id FROM agent_run WHERE tenant = $1 AND ($2::text IS NULL OR run_id > $2)
            AND finished_at IS NULL AND lease_until <= clock_timestamp() ORDER BY run_id LIMIT $3";
        ask!(&self.pool, "runs cannot be listed", |client| {
            let rows = client.query(sql, &[&tenant, &after, &i64::from(at_most)]).await?;
            Ok(rows.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?)
        })
    }

    async fn forget_runs(&self, tenant: &str, finished_for: Duration) -> Result<u64, StoreError> {
        forget(self, RUNS, tenant, finished_for).await
    }
}
