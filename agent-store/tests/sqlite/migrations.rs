//! Older tables become newer ones; newer ones are left alone.

use agent_core::idempotency::{Claim, StoreError};
use agent_store::SqliteStore;
use rusqlite::Connection;

use crate::{claim, fresh};

/// The tables as each version that was released made them, with a settled claim in them.
const RELEASED: &[&str] = &[include_str!("released/1.sql"), include_str!("released/2.sql")];

#[tokio::test]
async fn a_store_of_each_released_version_is_brought_up_to_date_with_what_it_holds() {
    for old in RELEASED {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.db");
        Connection::open(&path).unwrap().execute_batch(old).unwrap();
        let store = SqliteStore::open(&path).await.unwrap();
        assert!(matches!(claim(&store, 1).await, Ok(Claim::Settled(_))));
        fresh(&store, 2).await;
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
