//! A store that forgets when its process ends.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use tokio::time::Instant;

use super::key::IdempotencyKey;
use super::store::{Claim, ClaimRequest, Fence, IdempotencyStore, Settled, StoreError};
use crate::arguments::Digest;

/// Keeps claims in memory: the default.
///
/// It protects against a model that repeats a call within the life of the process. It does not
/// outlive the process, and it is bounded: beyond [`capacity`](Self::capacity) claims the oldest
/// settled ones are forgotten, and settled ones older than [`retention`](Self::retention) as well. A
/// forgotten call that comes again runs again. Claims that are running or unknown are never
/// forgotten; when they alone fill the store, further claims are refused.
#[derive(Debug)]
pub struct MemoryStore {
    claims: Mutex<Claims>,
    capacity: usize,
    retention: Duration,
}

#[derive(Debug, Default)]
struct Claims {
    by_key: HashMap<IdempotencyKey, Entry>,
    /// Settled keys in the order in which they were settled.
    settled: VecDeque<(Instant, IdempotencyKey)>,
    last_fence: u64,
}

#[derive(Debug)]
struct Entry {
    digest: Digest,
    fence: Fence,
    state: State,
}

#[derive(Debug)]
enum State {
    Running { until: Instant },
    Settled(Settled),
    Unknown,
}

impl Default for MemoryStore {
    fn default() -> Self {
        Self::new()
    }
}

impl MemoryStore {
    /// A store of 100,000 claims at most, settled ones kept for a day.
    pub fn new() -> Self {
        Self { claims: Mutex::default(), capacity: 100_000, retention: Duration::from_secs(24 * 60 * 60) }
    }

    /// With room for this many claims; at least 1.
    #[must_use]
    pub fn capacity(mut self, claims: usize) -> Self {
        self.capacity = claims.max(1);
        self
    }

    /// Keeps settled claims this long.
    #[must_use]
    pub fn retention(mut self, retention: Duration) -> Self {
        self.retention = retention;
        self
    }

    fn lock(&self) -> MutexGuard<'_, Claims> {
        // No code that can panic runs under the lock, so a poisoned one is whole.
        self.claims.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes a claim that the fence holds.
    fn held(&self, key: &IdempotencyKey, fence: Fence, change: impl FnOnce(&mut Claims)) -> Result<(), StoreError> {
        let mut claims = self.lock();
        match claims.by_key.get(key) {
            // An owner whose lease ran out may still say how it ended: nobody else has claimed the key since.
            Some(entry) if entry.fence == fence && !matches!(entry.state, State::Settled(_)) => {
                change(&mut claims);
                Ok(())
            }
            _ => Err(StoreError::LostFence),
        }
    }
}

impl Claims {
    fn forget(&mut self, now: Instant, capacity: usize, retention: Duration) {
        while let Some((settled_at, _)) = self.settled.front() {
            let old = now.saturating_duration_since(*settled_at) >= retention;
            if !old && self.by_key.len() < capacity {
                break;
            }
            if let Some((_, key)) = self.settled.pop_front() {
                self.by_key.remove(&key);
            }
        }
    }

    fn take(&mut self, request: &ClaimRequest<'_>, now: Instant) -> Claim {
        self.last_fence += 1;
        let fence = Fence(self.last_fence);
        let state = State::Running { until: now + request.lease };
        self.by_key.insert(request.key.clone(), Entry { digest: *request.digest, fence, state });
        Claim::Fresh(fence)
    }
}

#[async_trait]
impl IdempotencyStore for MemoryStore {
    async fn claim(&self, request: &ClaimRequest<'_>) -> Result<Claim, StoreError> {
        let now = Instant::now();
        let mut claims = self.lock();
        claims.forget(now, self.capacity, self.retention);
        let Some(entry) = claims.by_key.get_mut(request.key) else {
            if claims.by_key.len() >= self.capacity {
                let full = format!("{} claims are running or unknown, and as many may be kept", self.capacity);
                return Err(StoreError::Full(full));
            }
            return Ok(claims.take(request, now));
        };
        if entry.digest != *request.digest {
            return Ok(Claim::Conflict);
        }
        if matches!(entry.state, State::Running { until } if until <= now) {
            entry.state = State::Unknown;
        }
        Ok(match &entry.state {
            State::Settled(settled) => Claim::Settled(settled.clone()),
            State::Running { .. } => Claim::InFlight,
            State::Unknown if request.repeat_unknown => claims.take(request, now),
            State::Unknown => Claim::Unknown,
        })
    }

    async fn renew(&self, key: &IdempotencyKey, fence: Fence, lease: Duration) -> Result<(), StoreError> {
        let until = Instant::now() + lease;
        self.held(key, fence, |claims| {
            if let Some(Entry { state: State::Running { until: kept }, .. }) = claims.by_key.get_mut(key) {
                *kept = until;
            }
        })
    }

    async fn settle(&self, key: &IdempotencyKey, fence: Fence, settled: &Settled) -> Result<(), StoreError> {
        let now = Instant::now();
        self.held(key, fence, |claims| {
            if let Some(entry) = claims.by_key.get_mut(key) {
                entry.state = State::Settled(settled.clone());
            }
            claims.settled.push_back((now, key.clone()));
        })
    }

    async fn release(&self, key: &IdempotencyKey, fence: Fence) -> Result<(), StoreError> {
        self.held(key, fence, |claims| {
            claims.by_key.remove(key);
        })
    }

    async fn mark_unknown(&self, key: &IdempotencyKey, fence: Fence, _cause: &str) -> Result<(), StoreError> {
        self.held(key, fence, |claims| {
            if let Some(entry) = claims.by_key.get_mut(key) {
                entry.state = State::Unknown;
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::idempotency::Position;
    use crate::model::CallId;
    use crate::tool::Duplicates;

    const LEASE: Duration = Duration::from_secs(30);

    fn digest(n: u8) -> Digest {
        Digest::from_bytes([n; 32])
    }

    fn key(n: u8) -> IdempotencyKey {
        IdempotencyKey::new("t", "r", "tool", &digest(n), Position::default(), Duplicates::Replay)
    }

    async fn claim(store: &MemoryStore, n: u8) -> Claim {
        let id = CallId::new("c");
        store.claim(&ClaimRequest::new(&key(n), &digest(n), &id)).await.unwrap()
    }

    async fn fresh(store: &MemoryStore, n: u8) -> Fence {
        match claim(store, n).await {
            Claim::Fresh(fence) => fence,
            other => panic!("expected a fresh claim, got {other:?}"),
        }
    }

    fn value(json: &str) -> Settled {
        Settled::Value(serde_json::value::RawValue::from_string(json.to_owned()).unwrap())
    }

    #[tokio::test]
    async fn a_settled_claim_gives_its_value_again() {
        let store = MemoryStore::new();
        let fence = fresh(&store, 1).await;
        assert!(matches!(claim(&store, 1).await, Claim::InFlight));
        store.settle(&key(1), fence, &value("7")).await.unwrap();
        assert!(matches!(claim(&store, 1).await, Claim::Settled(Settled::Value(json)) if json.get() == "7"));
    }

    #[tokio::test]
    async fn a_released_claim_may_be_claimed_again_and_its_old_fence_is_refused() {
        let store = MemoryStore::new();
        let old = fresh(&store, 1).await;
        store.release(&key(1), old).await.unwrap();
        let new = fresh(&store, 1).await;
        assert_ne!(old, new);
        assert!(matches!(store.settle(&key(1), old, &value("1")).await, Err(StoreError::LostFence)));
        store.settle(&key(1), new, &value("2")).await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_claim_whose_lease_is_over_is_unknown_until_its_owner_settles_it() {
        let store = MemoryStore::new();
        let fence = fresh(&store, 1).await;
        store.renew(&key(1), fence, LEASE * 2).await.unwrap();
        tokio::time::advance(LEASE).await;
        assert!(matches!(claim(&store, 1).await, Claim::InFlight));
        tokio::time::advance(LEASE).await;
        assert!(matches!(claim(&store, 1).await, Claim::Unknown));
        store.settle(&key(1), fence, &value("1")).await.unwrap();
        assert!(matches!(claim(&store, 1).await, Claim::Settled(_)));
    }

    #[tokio::test]
    async fn an_unknown_claim_is_repeated_only_when_that_is_asked_for() {
        let store = MemoryStore::new();
        let fence = fresh(&store, 1).await;
        store.mark_unknown(&key(1), fence, "panic").await.unwrap();
        assert!(matches!(claim(&store, 1).await, Claim::Unknown));
        let (key, digest, id) = (key(1), digest(1), CallId::new("c"));
        let again = store.claim(&ClaimRequest::new(&key, &digest, &id).repeat_unknown(true)).await.unwrap();
        assert!(matches!(again, Claim::Fresh(new) if new != fence));
    }

    #[tokio::test]
    async fn the_same_key_with_other_arguments_is_a_conflict() {
        let store = MemoryStore::new();
        fresh(&store, 1).await;
        let (key, other, id) = (key(1), digest(9), CallId::new("c"));
        assert!(matches!(store.claim(&ClaimRequest::new(&key, &other, &id)).await.unwrap(), Claim::Conflict));
    }

    #[tokio::test(start_paused = true)]
    async fn the_oldest_settled_claims_make_room_and_running_ones_never_do() {
        let store = MemoryStore::new().capacity(2);
        let first = fresh(&store, 1).await;
        store.settle(&key(1), first, &value("1")).await.unwrap();
        fresh(&store, 2).await;
        fresh(&store, 3).await;
        let (k, d, id) = (key(4), digest(4), CallId::new("c"));
        assert!(matches!(store.claim(&ClaimRequest::new(&k, &d, &id)).await, Err(StoreError::Full(_))));
        assert!(matches!(claim(&store, 2).await, Claim::InFlight));
    }

    #[tokio::test(start_paused = true)]
    async fn settled_claims_are_forgotten_when_their_time_is_over() {
        let store = MemoryStore::new().retention(Duration::from_secs(5));
        let fence = fresh(&store, 1).await;
        store.settle(&key(1), fence, &value("1")).await.unwrap();
        tokio::time::advance(Duration::from_secs(5)).await;
        fresh(&store, 1).await;
    }
}
