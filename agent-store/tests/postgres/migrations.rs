//! Older tables become newer ones; newer ones are left alone.

use agent_core::idempotency::{Claim, StoreError};
use agent_store::PostgresStore;

use crate::place::Place;
use crate::{claim, fresh};

/// The tables as each version that was released made them, with a settled claim in them.
const RELEASED: &[&str] = &[include_str!("released/1.sql")];

async fn run(url: &str, sql: &str) {
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    client.batch_execute(sql).await.unwrap();
}

#[tokio::test]
async fn a_store_of_each_released_version_is_brought_up_to_date_with_what_it_holds() {
    let Some(place) = Place::find() else { return };
    for old in RELEASED {
        let url = place.schema().await;
        run(&url, old).await;
        let store = PostgresStore::open(&url).await.unwrap();
        assert!(matches!(claim(&store, 1).await, Ok(Claim::Settled(_))));
        fresh(&store, 2).await;
    }
    place.leave().await;
}

#[tokio::test]
async fn a_store_of_a_newer_version_is_refused() {
    let Some(place) = Place::find() else { return };
    let url = place.schema().await;
    run(&url, "CREATE TABLE agent_schema (version integer NOT NULL); INSERT INTO agent_schema VALUES (99)").await;
    let refused = PostgresStore::open(&url).await.unwrap_err();
    assert!(matches!(refused, StoreError::Version(_)), "{refused:?}");
    assert!(refused.to_string().contains("99"), "{refused}");
    place.leave().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_that_open_a_new_database_at_once_make_its_tables_once() {
    let Some(place) = Place::find() else { return };
    let url = place.schema().await;
    let opening: Vec<_> = (0..8)
        .map(|_| {
            let url = url.clone();
            tokio::spawn(async move { PostgresStore::open(&url).await })
        })
        .collect();
    for store in opening {
        store.await.unwrap().unwrap();
    }
    place.leave().await;
}
