//! Effect and record in one transaction.

use agent_core::idempotency::{Claim, ClaimHandle, Fence, IdempotencyStore, Settled, StoreError};
use agent_store::SqliteStore;
use rusqlite::Connection;

use crate::{Wrong, claim, fresh, key, settle};

async fn ledger() -> (tempfile::TempDir, SqliteStore) {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path().join("s.db")).await.unwrap();
    let made = store.transaction(|tx| -> Result<(), Wrong> {
        Ok(tx.execute_batch("CREATE TABLE ledger (id INTEGER PRIMARY KEY, amount INTEGER NOT NULL)")?)
    });
    made.await.unwrap();
    (folder, store)
}

async fn booked(store: &SqliteStore) -> i64 {
    let count = store.transaction(|tx| -> Result<i64, Wrong> {
        Ok(tx.query_row("SELECT count(*) FROM ledger", [], |row| row.get(0))?)
    });
    count.await.unwrap()
}

/// Books and settles, together.
async fn book(store: &SqliteStore, claim: &ClaimHandle) -> Result<(), Wrong> {
    let claim = claim.clone();
    let work = store.transaction(move |tx| -> Result<(), Wrong> {
        tx.execute("INSERT INTO ledger (amount) VALUES (7)", [])?;
        SqliteStore::settle_in(tx, &claim, "booked")?;
        Ok(())
    });
    work.await
}

#[tokio::test]
async fn an_effect_and_its_settlement_commit_together() {
    let (_folder, store) = ledger().await;
    let held = fresh(&store, 1).await;
    book(&store, &held).await.unwrap();
    assert_eq!(booked(&store).await, 1);
    let again = claim(&store, 1).await.unwrap();
    assert!(matches!(again, Claim::Settled(Settled::Value(json)) if json.get() == "\"booked\""));
    settle(&store, &held, "booked").await.expect("the framework may say the same again");
}

#[tokio::test]
async fn an_effect_whose_claim_is_lost_does_not_happen() {
    let (_folder, store) = ledger().await;
    let held = fresh(&store, 1).await;
    store.release(held.key(), held.fence()).await.unwrap();
    let error = book(&store, &held).await.unwrap_err();
    assert!(matches!(error.downcast_ref(), Some(StoreError::LostFence)), "{error:?}");
    assert_eq!(booked(&store).await, 0);
}

#[tokio::test]
async fn an_effect_that_is_settled_already_does_not_happen_again() {
    let (_folder, store) = ledger().await;
    let held = fresh(&store, 1).await;
    book(&store, &held).await.unwrap();
    let error = book(&store, &held).await.unwrap_err();
    assert!(matches!(error.downcast_ref(), Some(StoreError::LostFence)), "{error:?}");
    assert_eq!(booked(&store).await, 1);
}

#[tokio::test]
async fn a_transaction_that_fails_leaves_the_claim_running() {
    let (_folder, store) = ledger().await;
    let held = fresh(&store, 1).await;
    let copy = held.clone();
    let failed = store.transaction(move |tx| -> Result<(), Wrong> {
        tx.execute("INSERT INTO ledger (amount) VALUES (7)", [])?;
        SqliteStore::settle_in(tx, &copy, "booked")?;
        Err("the tool changed its mind".into())
    });
    failed.await.unwrap_err();
    assert_eq!(booked(&store).await, 0);
    assert!(matches!(claim(&store, 1).await, Ok(Claim::InFlight)));
    book(&store, &held).await.unwrap();
}

#[tokio::test]
async fn a_transaction_that_panics_rolls_back_and_the_store_goes_on() {
    let (_folder, store) = ledger().await;
    let failed = store.transaction(move |tx| -> Result<(), Wrong> {
        tx.execute("INSERT INTO ledger (amount) VALUES (7)", [])?;
        panic!("the test's own panic")
    });
    failed.await.unwrap_err();
    assert_eq!(booked(&store).await, 0);
    fresh(&store, 1).await;
}

#[tokio::test]
async fn a_claim_is_settled_on_a_connection_of_ones_own() {
    let (folder, store) = ledger().await;
    let held = fresh(&store, 1).await;
    let mut own = Connection::open(folder.path().join("s.db")).unwrap();
    let tx = own.transaction().unwrap();
    tx.execute("INSERT INTO ledger (amount) VALUES (7)", []).unwrap();
    SqliteStore::settle_in(&tx, &held, "booked").unwrap();
    assert!(matches!(claim(&store, 1).await, Ok(Claim::InFlight)), "not before the commit");
    tx.commit().unwrap();
    assert!(matches!(claim(&store, 1).await, Ok(Claim::Settled(_))));

    let tx = own.transaction().unwrap();
    let never = ClaimHandle::new(key(2), Fence(1));
    assert!(matches!(SqliteStore::settle_in(&tx, &never, "booked"), Err(StoreError::LostFence)));
}
