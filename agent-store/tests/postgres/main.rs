//! The store in PostgreSQL. Needs a server: `AGENT_TEST_POSTGRES` holds its connection string, as `.ci/postgres` gives
//! it. Without one the tests say that they are skipped.
#![cfg(feature = "postgres")]
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "helpers of tests")]

mod contract;
mod crash;
mod faults;
mod migrations;
mod place;
mod transactions;

use agent_core::Duplicates;
use agent_core::arguments::Digest;
use agent_core::idempotency::{
    Claim, ClaimHandle, ClaimRequest, IdempotencyKey, IdempotencyStore, Position, Settled, StoreError,
};
use agent_core::model::CallId;
use agent_store::PostgresStore;

pub(crate) fn key(n: u8) -> IdempotencyKey {
    IdempotencyKey::new("t", "r", "tool", &Digest::from_bytes([n; 32]), Position::default(), Duplicates::Replay)
}

pub(crate) async fn claim(store: &PostgresStore, n: u8) -> Result<Claim, StoreError> {
    let (key, digest, id) = (key(n), Digest::from_bytes([n; 32]), CallId::new("c"));
    store.claim(&ClaimRequest::new(&key, &digest, &id)).await
}

pub(crate) async fn fresh(store: &PostgresStore, n: u8) -> ClaimHandle {
    match claim(store, n).await {
        Ok(Claim::Fresh(fence)) => ClaimHandle::new(key(n), fence),
        other => panic!("expected a fresh claim, got {other:?}"),
    }
}

pub(crate) async fn settle(store: &PostgresStore, claim: &ClaimHandle, value: &str) -> Result<(), StoreError> {
    store.settle(claim.key(), claim.fence(), &Settled::value(value).unwrap()).await
}
