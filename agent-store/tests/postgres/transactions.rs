//! Effect and record in one transaction.

use agent_core::idempotency::{Claim, ClaimHandle, IdempotencyStore, Settled, StoreError};
use agent_store::PostgresStore;

use crate::place::Place;
use crate::{claim, fresh, settle};

async fn ledger(place: &Place) -> PostgresStore {
    let store = place.store().await;
    let client = store.pool().get().await.unwrap();
    client.batch_execute("CREATE TABLE ledger (amount bigint NOT NULL)").await.unwrap();
    drop(client);
    store
}

async fn booked(store: &PostgresStore) -> i64 {
    let client = store.pool().get().await.unwrap();
    client.query_one("SELECT count(*) FROM ledger", &[]).await.unwrap().get(0)
}

/// Books and settles, together.
async fn book(store: &PostgresStore, claim: &ClaimHandle) -> Result<(), StoreError> {
    let mut client = store.pool().get().await.unwrap();
    let tx = client.transaction().await.unwrap();
    tx.execute("INSERT INTO ledger (amount) VALUES (7)", &[]).await.unwrap();
    PostgresStore::settle_in(&tx, claim, "booked").await?;
    tx.commit().await.unwrap();
    Ok(())
}

#[tokio::test]
async fn an_effect_and_its_settlement_commit_together() {
    let Some(place) = Place::find() else { return };
    let store = ledger(&place).await;
    let held = fresh(&store, 1).await;
    book(&store, &held).await.unwrap();
    assert_eq!(booked(&store).await, 1);
    let again = claim(&store, 1).await.unwrap();
    assert!(matches!(again, Claim::Settled(Settled::Value(json)) if json.get() == "\"booked\""));
    settle(&store, &held, "booked").await.expect("the framework may say the same again");
    place.leave().await;
}

#[tokio::test]
async fn an_effect_whose_claim_is_lost_or_settled_does_not_happen() {
    let Some(place) = Place::find() else { return };
    let store = ledger(&place).await;
    let lost = fresh(&store, 1).await;
    store.release(lost.key(), lost.fence()).await.unwrap();
    assert!(matches!(book(&store, &lost).await, Err(StoreError::LostFence)));
    assert_eq!(booked(&store).await, 0);
    let held = fresh(&store, 2).await;
    book(&store, &held).await.unwrap();
    assert!(matches!(book(&store, &held).await, Err(StoreError::LostFence)));
    assert_eq!(booked(&store).await, 1);
    place.leave().await;
}

#[tokio::test]
async fn a_transaction_that_rolls_back_leaves_the_claim_running() {
    let Some(place) = Place::find() else { return };
    let store = ledger(&place).await;
    let held = fresh(&store, 1).await;
    let mut client = store.pool().get().await.unwrap();
    let tx = client.transaction().await.unwrap();
    tx.execute("INSERT INTO ledger (amount) VALUES (7)", &[]).await.unwrap();
    PostgresStore::settle_in(&tx, &held, "booked").await.unwrap();
    assert!(matches!(claim(&store, 1).await, Ok(Claim::InFlight)), "not before the commit");
    tx.rollback().await.unwrap();
    drop(client);
    assert!(matches!(claim(&store, 1).await, Ok(Claim::InFlight)));
    book(&store, &held).await.unwrap();
    assert_eq!(booked(&store).await, 1);
    place.leave().await;
}
