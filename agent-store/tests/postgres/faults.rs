//! What goes wrong on the way to a server, and there: each a clear error, nothing lost, nothing run twice.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use agent_core::idempotency::{Claim, IdempotencyStore, StoreError};
use agent_store::{PostgresOptions, PostgresStore};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::place::Place;
use crate::{claim, fresh, settle};

/// Stands between a store and its server, and loses an answer on demand: the server has done what it was asked for, and
/// the store is not told.
pub(crate) struct Wire {
    pub(crate) url: String,
    pub(crate) lose: Arc<AtomicBool>,
}

impl Wire {
    pub(crate) async fn to(url: &str) -> Self {
        let config: tokio_postgres::Config = url.parse().unwrap();
        let server = config.get_ports()[0];
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let here = listener.local_addr().unwrap().port();
        let lose = Arc::new(AtomicBool::new(false));
        let losing = lose.clone();
        tokio::spawn(async move {
            loop {
                let (client, _) = listener.accept().await.unwrap();
                let server = TcpStream::connect(("127.0.0.1", server)).await.unwrap();
                tokio::spawn(pass(client, server, losing.clone()));
            }
        });
        Self { url: url.replace(&format!(":{server}/"), &format!(":{here}/")), lose }
    }
}

async fn pass(client: TcpStream, server: TcpStream, lose: Arc<AtomicBool>) {
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let there = tokio::spawn(async move { tokio::io::copy(&mut from_client, &mut to_server).await });
    let mut bytes = [0; 16 * 1024];
    while let Ok(read @ 1..) = from_server.read(&mut bytes).await {
        if lose.swap(false, Ordering::SeqCst) || to_client.write_all(&bytes[..read]).await.is_err() {
            break;
        }
    }
    there.abort();
}

/// A store behind a wire, with one connection whose statements are prepared.
async fn behind_a_wire(place: &Place) -> (Wire, PostgresStore) {
    let wire = Wire::to(&place.schema().await).await;
    let store = PostgresOptions::new(&wire.url).connections(1).open().await.unwrap();
    let warm = fresh(&store, 200).await;
    settle(&store, &warm, "warm").await.unwrap();
    (wire, store)
}

#[tokio::test]
async fn a_claim_whose_answer_was_lost_is_found_again_by_the_same_try() {
    let Some(place) = Place::find() else { return };
    let (wire, store) = behind_a_wire(&place).await;
    wire.lose.store(true, Ordering::SeqCst);
    let held = fresh(&store, 1).await;
    assert!(!wire.lose.load(Ordering::SeqCst), "an answer was lost");
    assert!(matches!(claim(&store, 1).await, Ok(Claim::InFlight)), "another try does not find it its own");
    settle(&store, &held, "done").await.unwrap();
    place.leave().await;
}

#[tokio::test]
async fn a_settlement_whose_answer_was_lost_is_said_again() {
    let Some(place) = Place::find() else { return };
    let (wire, store) = behind_a_wire(&place).await;
    let held = fresh(&store, 1).await;
    wire.lose.store(true, Ordering::SeqCst);
    settle(&store, &held, "done").await.unwrap();
    assert!(!wire.lose.load(Ordering::SeqCst), "an answer was lost");
    assert!(matches!(claim(&store, 1).await, Ok(Claim::Settled(_))));
    place.leave().await;
}

#[tokio::test]
async fn a_session_that_is_ended_by_the_server_costs_nothing() {
    let Some(place) = Place::find() else { return };
    let store = place.store().await;
    let held = fresh(&store, 1).await;
    let client = store.pool().get().await.unwrap();
    let pid: i32 = client.query_one("SELECT pg_backend_pid()", &[]).await.unwrap().get(0);
    drop(client);
    place.run(&format!("SELECT pg_terminate_backend({pid})")).await;
    settle(&store, &held, "done").await.unwrap();
    place.leave().await;
}

#[tokio::test]
async fn a_server_that_is_not_there_is_said_at_once() {
    // A port that was free a moment ago.
    let port = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap().port();
    let refused = PostgresStore::open(&format!("postgres://nobody@127.0.0.1:{port}/x")).await.unwrap_err();
    assert!(matches!(refused, StoreError::Unreachable(_)) && refused.is_transient(), "{refused:?}");
}

#[tokio::test]
async fn a_server_elsewhere_is_refused_without_tls() {
    for url in ["postgres://a:secret@db.example.com/x", "host=127.0.0.1 hostaddr=192.0.2.1 user=a password=secret"] {
        let refused = PostgresStore::open(url).await.unwrap_err();
        assert!(refused.to_string().contains("TLS"), "{refused}");
        assert!(!format!("{refused:?} {:?}", PostgresOptions::new(url)).contains("secret"));
    }
}

#[tokio::test]
async fn a_string_that_names_no_database_is_refused() {
    let refused = PostgresStore::open("postgres://a:secret@[").await.unwrap_err();
    assert!(!format!("{refused:?}").contains("secret"), "{refused:?}");
}

#[tokio::test]
async fn a_database_that_may_only_be_read_gives_no_claim() {
    let Some(place) = Place::find() else { return };
    let url = place.schema().await;
    let writable = PostgresStore::open(&url).await.unwrap();
    let done = fresh(&writable, 1).await;
    settle(&writable, &done, "done").await.unwrap();
    let url = url.replace("options=", "options=-cdefault_transaction_read_only%3Don%20");
    let store = PostgresStore::open(&url).await.unwrap();
    let refused = claim(&store, 2).await.unwrap_err();
    assert!(matches!(refused, StoreError::ReadOnly(_)), "{refused:?}");
    fresh(&writable, 2).await;
    place.leave().await;
}

#[tokio::test]
async fn a_claim_that_somebody_has_locked_is_waited_for_no_longer_than_the_server_allows() {
    let Some(place) = Place::find() else { return };
    let url = place.schema().await;
    let url = url.replace("options=", "options=-clock_timeout%3D50%20");
    let store = PostgresStore::open(&url).await.unwrap();
    let held = fresh(&store, 1).await;
    let mut other = store.pool().get().await.unwrap();
    let tx = other.transaction().await.unwrap();
    tx.execute("SELECT FROM agent_claim FOR UPDATE", &[]).await.unwrap();
    let refused = settle(&store, &held, "done").await.unwrap_err();
    assert!(matches!(refused, StoreError::Busy(_)) && refused.is_transient(), "{refused:?}");
    tx.rollback().await.unwrap();
    settle(&store, &held, "done").await.unwrap();
    store.renew(held.key(), held.fence(), std::time::Duration::from_secs(1)).await.unwrap_err();
    place.leave().await;
}
