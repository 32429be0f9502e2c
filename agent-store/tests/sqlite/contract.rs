//! The contracts, by the suites of `agent-core`.

use std::time::Duration;

use agent_core::idempotency::Claim;
use agent_store::SqliteStore;
use rusqlite::params;
use tempfile::TempDir;

use crate::{Wrong, claim, fresh, settle};

/// Folders that live as long as their test.
#[derive(Default)]
struct Folders(std::sync::Mutex<Vec<TempDir>>);

impl Folders {
    async fn store(&self) -> SqliteStore {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(folder.path().join("s.db")).await.unwrap();
        self.0.lock().unwrap().push(folder);
        store
    }
}

/// Makes all that is stored older, which is the same as a later clock.
async fn advance(store: &SqliteStore, by: Duration) {
    let (millis, micros) = (i64::try_from(by.as_millis()).unwrap(), i64::try_from(by.as_micros()).unwrap());
    let work = store.transaction(move |tx| -> Result<(), Wrong> {
        let claims = "UPDATE agent_claim SET lease_until = lease_until - ?1, settled_at = settled_at - ?2";
        tx.execute(claims, params![millis, micros])?;
        let runs = "UPDATE agent_run SET lease_until = lease_until - ?1, finished_at = finished_at - ?2";
        tx.execute(runs, params![millis, micros])?;
        Ok(())
    });
    work.await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_keeps_the_contract_of_a_store_of_claims() {
    let folders = Folders::default();
    agent_core::testing::claims(async || folders.store().await, advance).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn it_keeps_the_contract_of_a_store_of_runs() {
    let folders = Folders::default();
    agent_core::testing::runs(async || folders.store().await, advance).await;
}

#[tokio::test]
async fn what_is_settled_is_still_so_when_the_file_is_opened_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.db");
    let store = SqliteStore::open(&path).await.unwrap();
    let done = fresh(&store, 1).await;
    settle(&store, &done, "done").await.unwrap();
    fresh(&store, 2).await;
    drop(store);
    let store = SqliteStore::open(&path).await.unwrap();
    assert!(matches!(claim(&store, 1).await, Ok(Claim::Settled(_))));
    assert!(matches!(claim(&store, 2).await, Ok(Claim::InFlight)), "its lease goes on");
}

#[tokio::test]
async fn a_claim_of_before_the_last_start_of_the_machine_is_unknown_at_once() {
    let folders = Folders::default();
    let store = folders.store().await;
    let held = fresh(&store, 1).await;
    let restart = store.transaction(|tx| -> Result<(), Wrong> {
        tx.execute("UPDATE agent_claim SET boot = 'an earlier one'", [])?;
        Ok(())
    });
    restart.await.unwrap();
    assert!(matches!(claim(&store, 1).await, Ok(Claim::Unknown)));
    settle(&store, &held, "late").await.unwrap();
}

#[tokio::test]
async fn a_replay_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.db");
    let store = SqliteStore::open(&path).await.unwrap();
    let done = fresh(&store, 1).await;
    settle(&store, &done, "done").await.unwrap();
    let other = rusqlite::Connection::open(&path).unwrap();
    let version = || other.pragma_query_value(None, "data_version", |row| row.get::<_, i64>(0)).unwrap();
    let before = version();
    assert!(matches!(claim(&store, 1).await, Ok(Claim::Settled(_))));
    assert_eq!(version(), before, "nothing was committed");
    // Nor does it wait for whoever writes.
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert!(matches!(claim(&store, 1).await, Ok(Claim::Settled(_))));
}
