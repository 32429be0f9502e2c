//! Short words for asking a store.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use crate::arguments::Digest;
use crate::idempotency::{
    Claim, ClaimRequest, Fence, IdempotencyKey, IdempotencyStore, Operator, Position, Settled, StoreError,
};
use crate::model::CallId;
use crate::tool::Duplicates;

/// How long the suite's claims hold.
pub(super) const LEASE: Duration = Duration::from_secs(30);

/// A store, and the words for asking it.
pub(super) struct Desk<S> {
    pub(super) store: Arc<S>,
}

pub(super) fn digest(n: u8) -> Digest {
    Digest::from_bytes([n; 32])
}

pub(super) fn key(tenant: &str, n: u8) -> IdempotencyKey {
    IdempotencyKey::new(tenant, "run-1", "tool", &digest(n), Position::default(), Duplicates::Replay)
}

pub(super) fn value(json: &str) -> Settled {
    let json = serde_json::value::RawValue::from_string(json.to_owned());
    Settled::Value(json.expect("the suite's own values are JSON"))
}

/// Fails unless the answer is a good one.
#[track_caller]
pub(super) fn ok<T>(answer: Result<T, StoreError>) -> T {
    answer.unwrap_or_else(|error| panic!("the store failed where it should not: {error:?}"))
}

/// Fails unless the fence was refused.
#[track_caller]
pub(super) fn lost<T: Debug>(answer: Result<T, StoreError>) {
    assert!(matches!(answer, Err(StoreError::LostFence)), "expected a lost fence, got {answer:?}");
}

pub(super) fn operator() -> Operator {
    ok(Operator::new("ada", "the bank shows it"))
}

impl<S: IdempotencyStore> Desk<S> {
    pub(super) fn new(store: S) -> Self {
        Self { store: Arc::new(store) }
    }

    pub(super) async fn ask(&self, tenant: &str, n: u8, repeat: bool) -> Claim {
        let (key, digest, id) = (key(tenant, n), digest(n), CallId::new("call-1"));
        let mut request = ClaimRequest::new(&key, &digest, &id).lease(LEASE).repeat_unknown(repeat);
        (request.tool, request.run_id, request.user) = ("tool", "run-1", "usr-1");
        ok(self.store.claim(&request).await)
    }

    pub(super) async fn claim(&self, n: u8) -> Claim {
        self.ask("t", n, false).await
    }

    /// Claims a key that must be free.
    pub(super) async fn fresh(&self, n: u8) -> Fence {
        fence(self.claim(n).await)
    }

    /// Claims a key that must be unknown, and may be repeated.
    pub(super) async fn repeat(&self, n: u8) -> Fence {
        fence(self.ask("t", n, true).await)
    }

    pub(super) async fn settle(&self, n: u8, fence: Fence, json: &str) -> Result<(), StoreError> {
        self.store.settle(&key("t", n), fence, &value(json)).await
    }

    /// Fails unless the claim is settled with this value.
    pub(super) async fn holds(&self, n: u8, json: &str) {
        let claim = self.claim(n).await;
        let as_said = matches!(&claim, Claim::Settled(Settled::Value(kept)) if kept.get() == json);
        assert!(as_said, "expected a claim settled with {json}, got {claim:?}");
    }
}

fn fence(claim: Claim) -> Fence {
    match claim {
        Claim::Fresh(fence) => fence,
        other => panic!("expected a fresh claim, got {other:?}"),
    }
}
