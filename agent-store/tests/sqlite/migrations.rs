//! Older tables become newer ones; newer ones are left alone.

use std::path::Path;

use agent_core::idempotency::{Fence, StoreError};
use agent_core::run_store::prompt_digest;
use agent_store::SqliteStore;
use rusqlite::{Connection, params};

use crate::common::migrated::holds_what_was_filled_in;
use crate::{fresh, key, run};

/// The tables as each version that was released made them, with a settled claim in them.
const RELEASED: &[&str] = &[include_str!("released/1.sql"), include_str!("released/2.sql")];

/// Adds what a store may hold beside a settled claim, one row of each kind.
fn fill(old: &Connection) {
    let claim = "INSERT INTO agent_claim (tenant, key, digest, fence, state, boot, lease_until, tool, run_id, call_id,
            caller, claimed_at, settled_at, value, cause)
        VALUES ('t', ?1, ?2, ?3, ?4, 'an earlier one', 1, 'tool', 'r', 'c', 'u', 1, ?5, NULL, ?6)";
    let rows = [(3, 0, None, None), (4, 2, None, Some("panic")), (5, 1, Some(2), None)];
    for (n, state, settled_at, cause) in rows {
        let digest = [n; 32];
        old.execute(claim, params![key(n).as_str(), digest, n, state, settled_at, cause]).unwrap();
    }
    let audit = "INSERT INTO agent_claim_audit (tenant, key, fence, tool, run_id, call_id, caller, claimed_at, cause,
            settled, value, who, why, at)
        VALUES ('t', ?1, 1, 'tool', 'r', 'c', 'u', 1, 'panic', ?2, ?3, 'ada', 'the bank shows it', 2)";
    old.execute(audit, params![key(6).as_str(), true, "7"]).unwrap();
    old.execute(audit, params![key(7).as_str(), false, None::<&str>]).unwrap();
    let kept =
        "INSERT INTO agent_run (tenant, run_id, caller, prompt, fence, boot, lease_until, run, begun_at, finished_at)
        VALUES ('t', ?1, 'usr-1', ?2, ?3, 'an earlier one', 1, ?4, 1, ?5)";
    for (id, fence, finished_at) in [("cut off", 4, None), ("done", 5, Some(2))] {
        let run = run(id);
        let (prompt, text) = (prompt_digest(&run).unwrap(), serde_json::to_string(&run).unwrap());
        old.execute(kept, params![id, prompt.as_bytes(), fence, text, finished_at]).unwrap();
    }
}

/// The tables, without what is only said of them.
fn schema(path: &Path) -> Vec<String> {
    let connection = Connection::open(path).unwrap();
    let mut listed = connection.prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name").unwrap();
    let rows = listed.query_map([], |row| row.get::<_, String>(0)).unwrap();
    let code = |sql: String| {
        let lines = sql.lines().map(str::trim).filter(|line| !line.starts_with("--"));
        lines.collect::<Vec<_>>().join(" ")
    };
    rows.map(|sql| code(sql.unwrap())).collect()
}

#[tokio::test]
async fn a_store_of_each_released_version_is_brought_up_to_date_with_what_it_holds() {
    let folder = tempfile::tempdir().unwrap();
    let fresh_path = folder.path().join("fresh.db");
    SqliteStore::open(&fresh_path).await.unwrap();
    for (n, old) in RELEASED.iter().enumerate() {
        let path = folder.path().join(format!("{n}.db"));
        let connection = Connection::open(&path).unwrap();
        connection.execute_batch(old).unwrap();
        fill(&connection);
        drop(connection);
        let store = SqliteStore::open(&path).await.unwrap();
        let (unknown, taken_up) = holds_what_was_filled_in(&store).await;
        assert_eq!(unknown, [Fence(3), Fence(4)]);
        assert!(taken_up > Fence(5), "{taken_up:?}");
        fresh(&store, 2).await;
        assert_eq!(schema(&path), schema(&fresh_path), "an old store ends with the tables of a new one");
    }
}

#[tokio::test]
async fn fences_of_version_1_came_from_a_clock_and_later_ones_are_above_all_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.db");
    let old = Connection::open(&path).unwrap();
    old.execute_batch(RELEASED[0]).unwrap();
    // A clock that was far ahead when the claim was made.
    let ahead = i64::MAX / 2;
    old.execute("UPDATE agent_claim SET fence = ?1", [ahead]).unwrap();
    let released =
        "INSERT INTO agent_claim (tenant, key, digest, fence, state, boot, lease_until, tool, run_id, call_id,
        caller, claimed_at) VALUES ('t', 'released', x'01', 7, 3, 'b', 1, 'tool', 'r', 'c', 'u', 1)";
    old.execute(released, []).unwrap();
    drop(old);
    let store = SqliteStore::open(&path).await.unwrap();
    let next = fresh(&store, 2).await;
    assert_eq!(next.fence().0, u64::try_from(ahead).unwrap() + 1);
    let left = "SELECT count(*) FROM agent_claim WHERE state = 3";
    let left: i64 = Connection::open(&path).unwrap().query_row(left, [], |row| row.get(0)).unwrap();
    assert_eq!(left, 0, "a released claim is no row any more");
}

#[tokio::test]
async fn a_store_of_a_newer_version_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.db");
    let newer = "CREATE TABLE agent_schema (version INTEGER NOT NULL); INSERT INTO agent_schema VALUES (99)";
    Connection::open(&path).unwrap().execute_batch(newer).unwrap();
    let refused = SqliteStore::open(&path).await.unwrap_err();
    assert!(matches!(refused, StoreError::Version(_)), "{refused:?}");
    assert!(refused.to_string().contains("99"), "{refused}");
    let tables = "SELECT count(*) FROM sqlite_schema WHERE type = 'table'";
    let tables: i64 = Connection::open(&path).unwrap().query_row(tables, [], |row| row.get(0)).unwrap();
    assert_eq!(tables, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_that_open_a_new_file_at_once_make_its_tables_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.db");
    let opening: Vec<_> = (0..8).map(|_| tokio::spawn(SqliteStore::open(path.clone()))).collect();
    for store in opening {
        store.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn tables_and_the_version_of_the_application_stay_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.db");
    let own = Connection::open(&path).unwrap();
    own.execute_batch("CREATE TABLE ledger (id INTEGER PRIMARY KEY); PRAGMA user_version = 42").unwrap();
    let store = SqliteStore::open(&path).await.unwrap();
    fresh(&store, 1).await;
    let version: i64 = own.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    assert_eq!(version, 42);
}
