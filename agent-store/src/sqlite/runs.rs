//! Runs.

use std::sync::Arc;
use std::time::Duration;

use agent_core::idempotency::{Fence, StoreError};
use agent_core::run::Run;
use agent_core::run_store::{Mismatch, OpenRun, Opened, RunStore, StoredRun};
use async_trait::async_trait;
use rusqlite::{Connection, OptionalExtension, named_params, params};

use super::SqliteStore;
use super::claims::next_fence;
use super::clock::{Moment, wall_micros};
use super::error::failure;
use super::forget::{Pages, forget};
use crate::convert::{self, stored_fence};

/// The lease of a run that was handed over is no later than this: before any start of a machine.
const HANDED_OVER: i64 = i64::MIN / 2;

/// A run that is to be opened, owned by the job that opens it.
struct Asked {
    tenant: String,
    run_id: String,
    caller: String,
    prompt: [u8; 32],
    run: String,
    lease: Duration,
}

/// A run as it is found.
struct Found {
    caller: String,
    prompt: Vec<u8>,
    over: bool,
    finished: bool,
    run: String,
}

fn find(connection: &Connection, asked: &Asked, now: &Moment) -> rusqlite::Result<Option<Found>> {
    let sql = "SELECT caller, prompt, boot <> ?3 OR lease_until <= ?4, finished_at IS NOT NULL, run
        FROM agent_run WHERE tenant = ?1 AND run_id = ?2";
    let found = params![asked.tenant, asked.run_id, &*now.boot, now.at];
    let mut statement = connection.prepare_cached(sql)?;
    let found = statement.query_row(found, |row| {
        Ok(Found {
            caller: row.get(0)?,
            prompt: row.get(1)?,
            over: row.get(2)?,
            finished: row.get(3)?,
            run: row.get(4)?,
        })
    });
    found.optional()
}

/// What is answered without a change; none where the run may be begun or taken up.
fn look(connection: &Connection, asked: &Asked, now: &Moment) -> Result<Option<Opened>, StoreError> {
    match find(connection, asked, now).map_err(|error| failure("a run cannot be opened", error))? {
        Some(found) => answer(asked, &found),
        None => Ok(None),
    }
}

/// Begins a run or takes it up. In a transaction, so nobody comes in between.
fn open(connection: &Connection, asked: &Asked, now: &Moment) -> Result<Opened, StoreError> {
    let wrong = |error| failure("a run cannot be opened", error);
    let Some(found) = find(connection, asked, now).map_err(wrong)? else {
        let sql = "INSERT INTO agent_run (tenant, run_id, caller, prompt, fence, boot, lease_until, run, begun_at)
            VALUES (:tenant, :run_id, :caller, :prompt, :fence, :boot, :until, :run, :wall)";
        let begin = || {
            let fence = next_fence(connection)?;
            connection.prepare_cached(sql)?.execute(named_params! {
                ":tenant": asked.tenant, ":run_id": asked.run_id, ":caller": asked.caller, ":prompt": asked.prompt,
                ":fence": fence, ":boot": &*now.boot, ":until": now.after(asked.lease), ":run": asked.run,
                ":wall": wall_micros(),
            })?;
            Ok(fence)
        };
        return Ok(Opened::New(convert::fence(begin().map_err(wrong)?)?));
    };
    if let Some(answer) = answer(asked, &found)? {
        return Ok(answer);
    }
    // Read before it is taken, so that a run that this build cannot read stays where it is.
    let run = convert::read(&found.run)?;
    let take_up = || {
        let fence = next_fence(connection)?;
        let sql = "UPDATE agent_run SET fence = ?3, boot = ?4, lease_until = ?5 WHERE tenant = ?1 AND run_id = ?2";
        let taken = params![asked.tenant, asked.run_id, fence, &*now.boot, now.after(asked.lease)];
        connection.prepare_cached(sql)?.execute(taken)?;
        Ok(fence)
    };
    Ok(Opened::TakenUp { run, fence: convert::fence(take_up().map_err(wrong)?)? })
}

/// What a run that is there answers, unless it may be taken up.
fn answer(asked: &Asked, found: &Found) -> Result<Option<Opened>, StoreError> {
    Ok(Some(if found.caller != asked.caller {
        Opened::Mismatch(Mismatch::Caller)
    } else if found.prompt != asked.prompt {
        Opened::Mismatch(Mismatch::Prompt)
    } else if found.finished {
        Opened::Finished(convert::read(&found.run)?)
    } else if !found.over {
        Opened::Owned
    } else {
        return Ok(None);
    }))
}

fn held(changed: rusqlite::Result<usize>) -> Result<(), StoreError> {
    match changed.map_err(|error| failure("a run cannot be saved", error))? {
        1 => Ok(()),
        _ => Err(StoreError::LostFence),
    }
}

#[async_trait]
impl RunStore for SqliteStore {
    async fn load(&self, tenant: &str, run_id: &str) -> Result<StoredRun, StoreError> {
        let (tenant, run_id) = (tenant.to_owned(), run_id.to_owned());
        self.read(move |connection| {
            let sql = "SELECT run, finished_at IS NOT NULL FROM agent_run WHERE tenant = ?1 AND run_id = ?2";
            let found = connection.prepare_cached(sql).and_then(|mut statement| {
                let row = |row: &rusqlite::Row<'_>| Ok((row.get::<_, String>(0)?, row.get(1)?));
                statement.query_row(params![tenant, run_id], row).optional()
            });
            Ok(match found.map_err(|error| failure("a run cannot be read", error))? {
                None => StoredRun::None,
                Some((run, true)) => StoredRun::Finished(convert::read(&run)?),
                Some((run, false)) => StoredRun::Unfinished(convert::read(&run)?),
            })
        })
        .await
    }

    async fn open(&self, request: &OpenRun<'_>) -> Result<Opened, StoreError> {
        let asked = Arc::new(Asked {
            tenant: request.run.tenant().to_owned(),
            run_id: request.run.id().to_owned(),
            caller: request.run.user().to_owned(),
            prompt: *request.prompt.as_bytes(),
            run: convert::written(request.run)?,
            lease: request.lease,
        });
        let (clock, looked) = (self.inner.clock.clone(), asked.clone());
        let now = clock.clone();
        self.inner
            .writer
            .join(
                move |connection| look(connection, &looked, &now.now()),
                move |connection| open(connection, &asked, &clock.now()),
            )
            .await
    }

    async fn save(&self, run: &Run, fence: Fence, lease: Duration) -> Result<(), StoreError> {
        let (tenant, run_id, text) = (run.tenant().to_owned(), run.id().to_owned(), convert::written(run)?);
        let (fence, clock) = (stored_fence(fence), self.inner.clock.clone());
        self.write(move |connection| {
            let sql = "UPDATE agent_run SET run = ?4, boot = ?5, lease_until = ?6
                WHERE tenant = ?1 AND run_id = ?2 AND fence = ?3 AND finished_at IS NULL AND lease_until > ?7";
            let now = clock.now();
            held(connection.prepare_cached(sql).and_then(|mut statement| {
                statement.execute(params![tenant, run_id, fence, text, &*now.boot, now.after(lease), HANDED_OVER])
            }))
        })
        .await
    }

    async fn keep(&self, tenant: &str, run_id: &str, fence: Fence, lease: Duration) -> Result<(), StoreError> {
        let (tenant, run_id) = (tenant.to_owned(), run_id.to_owned());
        let (fence, clock) = (stored_fence(fence), self.inner.clock.clone());
        self.write(move |connection| {
            let sql = "UPDATE agent_run SET boot = ?4, lease_until = ?5
                WHERE tenant = ?1 AND run_id = ?2 AND fence = ?3 AND finished_at IS NULL AND lease_until > ?6";
            let now = clock.now();
            held(connection.prepare_cached(sql).and_then(|mut statement| {
                statement.execute(params![tenant, run_id, fence, &*now.boot, now.after(lease), HANDED_OVER])
            }))
        })
        .await
    }

    async fn finish(&self, run: &Run, fence: Fence) -> Result<(), StoreError> {
        let (tenant, run_id, text) = (run.tenant().to_owned(), run.id().to_owned(), convert::written(run)?);
        let fence = stored_fence(fence);
        self.write(move |connection| {
            // The second condition lets the same end be said again.
            let sql = "UPDATE agent_run SET run = ?4, finished_at = coalesce(finished_at, ?5)
                WHERE tenant = ?1 AND run_id = ?2 AND fence = ?3
                AND (finished_at IS NULL AND lease_until > ?6 OR finished_at IS NOT NULL AND run = ?4)";
            held(connection.prepare_cached(sql).and_then(|mut statement| {
                statement.execute(params![tenant, run_id, fence, text, wall_micros(), HANDED_OVER])
            }))
        })
        .await
    }

    async fn hand_over(&self, tenant: &str, run_id: &str, fence: Fence) -> Result<(), StoreError> {
        let (tenant, run_id, fence) = (tenant.to_owned(), run_id.to_owned(), stored_fence(fence));
        self.write(move |connection| {
            let sql = "UPDATE agent_run SET lease_until = ?4
                WHERE tenant = ?1 AND run_id = ?2 AND fence = ?3 AND finished_at IS NULL";
            // Below what the owner's own changes ask for, so that one which comes late does not own the run again.
            let left = HANDED_OVER - 1;
            held(
                connection
                    .prepare_cached(sql)
                    .and_then(|mut statement| statement.execute(params![tenant, run_id, fence, left])),
            )
        })
        .await
    }

    async fn abandoned_runs(&self, tenant: &str, after: Option<&str>, at_most: u32) -> Result<Vec<String>, StoreError> {
        let (tenant, after) = (tenant.to_owned(), after.map(str::to_owned));
        let now = self.inner.clock.now();
        self.read(move |connection| {
            let sql = "SELECT run_id FROM agent_run WHERE tenant = ?1 AND (?2 IS NULL OR run_id > ?2)
                AND finished_at IS NULL AND (boot <> ?3 OR lease_until <= ?4) ORDER BY run_id LIMIT ?5";
            let listed = connection.prepare_cached(sql).and_then(|mut statement| {
                let asked = params![tenant, after, &*now.boot, now.at, at_most];
                statement.query_map(asked, |row| row.get(0))?.collect::<rusqlite::Result<Vec<_>>>()
            });
            listed.map_err(|error| failure("runs cannot be listed", error))
        })
        .await
    }

    async fn forget_runs(&self, tenant: &str, finished_for: Duration) -> Result<u64, StoreError> {
        const RUNS: Pages = Pages {
            what: "runs cannot be forgotten",
            page: "SELECT max(run_id), coalesce(sum(finished_at <= ?3), 0) FROM (
                SELECT run_id, finished_at FROM agent_run WHERE tenant = ?1 AND run_id > ?2 ORDER BY run_id LIMIT ?4)",
            forget: "DELETE FROM agent_run WHERE tenant = ?1 AND run_id > ?2 AND run_id <= ?3 AND finished_at <= ?4",
        };
        forget(self, &RUNS, tenant, finished_for).await
    }
}
