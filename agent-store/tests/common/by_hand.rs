//! Claims and runs made by hand, on whatever store they are given.

use agent_core::Duplicates;
use agent_core::arguments::Digest;
use agent_core::idempotency::{
    Claim, ClaimHandle, ClaimRequest, Fence, IdempotencyKey, IdempotencyStore, Position, Settled, StoreError,
};
use agent_core::model::CallId;
use agent_core::run::{Run, RunStart};
use agent_core::run_store::{OpenRun, Opened, RunStore, prompt_digest};

pub(crate) fn key(n: u8) -> IdempotencyKey {
    IdempotencyKey::new("t", "r", "tool", &Digest::from_bytes([n; 32]), Position::default(), Duplicates::Replay)
}

pub(crate) async fn claim(store: &impl IdempotencyStore, n: u8) -> Result<Claim, StoreError> {
    let (key, digest, id) = (key(n), Digest::from_bytes([n; 32]), CallId::new("c"));
    store.claim(&ClaimRequest::new(&key, &digest, &id)).await
}

pub(crate) async fn fresh(store: &impl IdempotencyStore, n: u8) -> ClaimHandle {
    match claim(store, n).await {
        Ok(Claim::Fresh(fence)) => ClaimHandle::new(key(n), fence),
        other => panic!("expected a fresh claim, got {other:?}"),
    }
}

pub(crate) async fn settle(store: &impl IdempotencyStore, claim: &ClaimHandle, value: &str) -> Result<(), StoreError> {
    store.settle(claim.key(), claim.fence(), &Settled::value(value).unwrap()).await
}

/// A run that has not begun.
pub(crate) fn run(id: &str) -> Run {
    let mut start = RunStart::new(id, "Book it.");
    (start.tenant, start.user) = ("t".to_owned(), "usr-1".to_owned());
    Run::new(start)
}

pub(crate) async fn begin(store: &impl RunStore, run: &Run) -> Fence {
    match store.open(&OpenRun::new(run, &prompt_digest(run).unwrap())).await {
        Ok(Opened::New(fence)) => fence,
        other => panic!("expected a new run, got {other:?}"),
    }
}

/// Claims for a run.
pub(crate) async fn fresh_of(store: &impl IdempotencyStore, run_id: &str, n: u8) -> ClaimHandle {
    let (key, digest, id) = (key(n), Digest::from_bytes([n; 32]), CallId::new("c"));
    let mut request = ClaimRequest::new(&key, &digest, &id);
    request.run_id = run_id;
    match store.claim(&request).await {
        Ok(Claim::Fresh(fence)) => ClaimHandle::new(key.clone(), fence),
        other => panic!("expected a fresh claim, got {other:?}"),
    }
}
