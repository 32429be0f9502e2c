//! What goes wrong with files: each a clear error, nothing lost, nothing run twice.

use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::time::Duration;

use agent_core::idempotency::{Claim, StoreError};
use agent_store::{SqliteOptions, SqliteStore};
use rusqlite::Connection;

use crate::{Wrong, claim, fresh, settle};

/// Writes over a part of the file.
fn overwrite(path: &Path, at: u64, bytes: usize) {
    let mut file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
    file.seek(SeekFrom::Start(at)).unwrap();
    file.write_all(&vec![0xA5; bytes]).unwrap();
}

#[tokio::test]
async fn a_full_disk_is_said_and_the_store_goes_on_when_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path().join("s.db")).await.unwrap();
    let before = fresh(&store, 1).await;
    let room = |pages: i64| {
        store.transaction(move |tx| -> Result<(), Wrong> {
            let now: i64 = tx.pragma_query_value(None, "page_count", |row| row.get(0))?;
            Ok(tx.pragma_update(None, "max_page_count", now + pages)?)
        })
    };
    room(0).await.unwrap();
    let long = "x".repeat(100_000);
    let full = settle(&store, &before, &long).await.unwrap_err();
    assert!(matches!(full, StoreError::Full(_)), "{full:?}");
    assert!(std::error::Error::source(&full).is_some());
    assert!(matches!(claim(&store, 1).await, Ok(Claim::InFlight)), "the claim is as it was");
    room(1000).await.unwrap();
    settle(&store, &before, &long).await.unwrap();
    assert!(matches!(claim(&store, 1).await, Ok(Claim::Settled(_))));
}

#[tokio::test]
async fn a_store_that_is_read_only_replays_and_claims_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.db");
    let writable = SqliteStore::open(&path).await.unwrap();
    let done = fresh(&writable, 1).await;
    settle(&writable, &done, "done").await.unwrap();
    let store = SqliteStore::open(format!("file:{}?mode=ro", path.display())).await.unwrap();
    assert!(matches!(claim(&store, 1).await, Ok(Claim::Settled(_))));
    let refused = claim(&store, 2).await.unwrap_err();
    assert!(matches!(refused, StoreError::ReadOnly(_)), "{refused:?}");
    fresh(&writable, 2).await;
}

#[tokio::test]
async fn a_file_that_is_no_database_is_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.db");
    std::fs::write(&path, "Dear diary, ".repeat(1000)).unwrap();
    let refused = SqliteStore::open(&path).await.unwrap_err();
    assert!(matches!(refused, StoreError::Damaged(_)), "{refused:?}");
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "Dear diary, ".repeat(1000));
}

#[tokio::test]
async fn a_damaged_file_gives_no_claim() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.db");
    let store = SqliteStore::open(&path).await.unwrap();
    for n in 1..100 {
        let done = fresh(&store, n).await;
        settle(&store, &done, &"x".repeat(1000)).await.unwrap();
    }
    drop(store);
    let whole = Connection::open(&path).unwrap();
    whole.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
    let root: u64 = whole
        .query_row("SELECT rootpage FROM sqlite_schema WHERE name = 'agent_claim'", [], |row| row.get::<_, i64>(0))
        .unwrap()
        .try_into()
        .unwrap();
    drop(whole);
    overwrite(&path, (root - 1) * 4096, 4096);
    let store = SqliteStore::open(&path).await.unwrap();
    for n in [1, 200] {
        let refused = claim(&store, n).await.unwrap_err();
        assert!(matches!(refused, StoreError::Damaged(_)), "{refused:?}");
    }
}

#[tokio::test]
async fn a_locked_file_is_waited_for_and_then_said_to_be_busy() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.db");
    let store = SqliteOptions::new(&path).busy_timeout(Duration::from_millis(50)).open().await.unwrap();
    let held = fresh(&store, 1).await;
    let other = Connection::open(&path).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    for refused in [claim(&store, 2).await.unwrap_err(), settle(&store, &held, "done").await.unwrap_err()] {
        assert!(matches!(refused, StoreError::Busy(_)) && refused.is_transient(), "{refused:?}");
    }
    other.execute_batch("ROLLBACK").unwrap();
    settle(&store, &held, "done").await.unwrap();
    fresh(&store, 2).await;
}

#[tokio::test]
async fn a_file_in_a_folder_that_is_not_there_cannot_be_opened() {
    let folder = tempfile::tempdir().unwrap();
    let refused = SqliteStore::open(folder.path().join("no/such/s.db")).await.unwrap_err();
    assert!(refused.to_string().contains("s.db"), "{refused}");
}

#[tokio::test]
async fn a_store_in_memory_is_refused_since_it_would_not_outlive_the_process() {
    let refused = SqliteStore::open(":memory:").await.unwrap_err();
    assert!(refused.to_string().contains("journal"), "{refused}");
}
