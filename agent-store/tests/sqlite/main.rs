//! The store in a file.
#![cfg(feature = "sqlite")]

mod contract;
mod faults;
mod migrations;
mod transactions;

use agent_core::Duplicates;
use agent_core::arguments::Digest;
use agent_core::idempotency::{
    Claim, ClaimHandle, ClaimRequest, IdempotencyKey, IdempotencyStore, Position, Settled, StoreError,
};
use agent_core::model::CallId;
use agent_store::SqliteStore;

/// What the work of a transaction may fail with.
pub(crate) type Wrong = Box<dyn std::error::Error + Send + Sync>;

pub(crate) fn key(n: u8) -> IdempotencyKey {
    IdempotencyKey::new("t", "r", "tool", &Digest::from_bytes([n; 32]), Position::default(), Duplicates::Replay)
}

pub(crate) async fn claim(store: &SqliteStore, n: u8) -> Result<Claim, StoreError> {
    let (key, digest, id) = (key(n), Digest::from_bytes([n; 32]), CallId::new("c"));
    store.claim(&ClaimRequest::new(&key, &digest, &id)).await
}

pub(crate) async fn fresh(store: &SqliteStore, n: u8) -> ClaimHandle {
    match claim(store, n).await {
        Ok(Claim::Fresh(fence)) => ClaimHandle::new(key(n), fence),
        other => panic!("expected a fresh claim, got {other:?}"),
    }
}

pub(crate) async fn settle(store: &SqliteStore, claim: &ClaimHandle, value: &str) -> Result<(), StoreError> {
    store.settle(claim.key(), claim.fence(), &Settled::value(value).unwrap()).await
}
