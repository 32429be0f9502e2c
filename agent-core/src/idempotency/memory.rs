//! A store that forgets when its process ends.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use async_trait::async_trait;
use tokio::time::Instant;

use super::admin::{Audit, ClaimAdmin, Operator, Resolution, UnknownClaim};
use super::error::{Cause, StoreError};
use super::key::IdempotencyKey;
use super::store::{Claim, ClaimHandle, ClaimRequest, Fence, IdempotencyStore, Settled};
use crate::arguments::Digest;
use crate::dispatch::after;

/// Keeps claims in memory: the default.
///
/// It protects against a model that repeats a call within the life of the process. It does not
/// outlive the process, and it is bounded: beyond [`capacity`](Self::capacity) claims the oldest
/// settled ones are forgotten, and settled ones older than [`retention`](Self::retention) as well. A
/// forgotten call that comes again runs again. Claims that are running or unknown are never
/// forgotten; when they alone fill the store, further claims are refused until an operator has resolved
/// some by [`ClaimAdmin`]. Of audit records it keeps as many as of claims.
#[derive(Debug)]
pub struct MemoryStore {
    claims: Mutex<Claims>,
    capacity: usize,
    retention: Duration,
}

#[derive(Debug, Default)]
struct Claims {
    by_key: BTreeMap<IdempotencyKey, Entry>,
    /// Settled keys in the order in which they were settled.
    settled: VecDeque<(Instant, IdempotencyKey)>,
    audits: VecDeque<Audit>,
    last_fence: u64,
}

#[derive(Debug)]
struct Entry {
    digest: Digest,
    /// What an operator is shown, were it unknown.
    about: UnknownClaim,
    state: State,
}

#[derive(Debug)]
enum State {
    Running { until: Instant },
    Settled(Settled),
    Unknown,
}

impl Entry {
    fn is_unknown(&self, now: Instant) -> bool {
        match self.state {
            State::Running { until } => until <= now,
            State::Unknown => true,
            State::Settled(_) => false,
        }
    }
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
}

impl Claims {
    /// The claim that the fence holds. An owner whose lease ran out may still say how it ended: nobody else has
    /// claimed the key since.
    fn held(&mut self, key: &IdempotencyKey, fence: Fence) -> Result<&mut Entry, StoreError> {
        let entry = self.by_key.get_mut(key).filter(|entry| entry.about.fence == fence);
        entry.filter(|entry| !matches!(entry.state, State::Settled(_))).ok_or(StoreError::LostFence)
    }

    fn forget_old(&mut self, now: Instant, retention: Duration) {
        while self.settled.front().is_some_and(|(at, _)| now.saturating_duration_since(*at) >= retention) {
            self.forget_oldest();
        }
    }

    /// Forgets the oldest settled claims until there is room for one more, as far as there are any.
    fn make_room(&mut self, capacity: usize) {
        while self.by_key.len() >= capacity && !self.settled.is_empty() {
            self.forget_oldest();
        }
    }

    fn forget_oldest(&mut self) {
        if let Some((_, key)) = self.settled.pop_front() {
            self.by_key.remove(&key);
        }
    }

    fn fence(&mut self) -> Fence {
        self.last_fence += 1;
        Fence(self.last_fence)
    }

    fn take(&mut self, request: &ClaimRequest<'_>, now: Instant) -> Claim {
        let fence = self.fence();
        let state = State::Running { until: after(now, request.lease) };
        let key = request.key.clone();
        let mut about = UnknownClaim::new(key.clone(), fence, request.call_id.clone(), SystemTime::now());
        request.tool.clone_into(&mut about.tool);
        request.run_id.clone_into(&mut about.run_id);
        request.user.clone_into(&mut about.user);
        self.by_key.insert(key, Entry { digest: *request.digest, about, state });
        Claim::Fresh(fence)
    }

    fn settle(&mut self, key: &IdempotencyKey, settled: &Settled, now: Instant) {
        if let Some(entry) = self.by_key.get_mut(key) {
            entry.state = State::Settled(settled.clone());
            self.settled.push_back((now, key.clone()));
        }
    }
}

#[async_trait]
impl IdempotencyStore for MemoryStore {
    async fn claim(&self, request: &ClaimRequest<'_>) -> Result<Claim, StoreError> {
        let now = Instant::now();
        let mut claims = self.lock();
        claims.forget_old(now, self.retention);
        let Some(entry) = claims.by_key.get(request.key) else {
            claims.make_room(self.capacity);
            if claims.by_key.len() >= self.capacity {
                let full = format!(
                    "{} claims are running or unknown, and as many may be kept; resolve the unknown ones by `ClaimAdmin` \
                     (`Agent::memory_store` has the store), or allow more with `MemoryStore::capacity`",
                    self.capacity
                );
                return Err(StoreError::Full(Cause::new(full)));
            }
            return Ok(claims.take(request, now));
        };
        if entry.digest != *request.digest {
            return Ok(Claim::Conflict);
        }
        Ok(match &entry.state {
            State::Settled(settled) => Claim::Settled(settled.clone()),
            _ if !entry.is_unknown(now) => Claim::InFlight,
            _ if request.repeat_unknown => claims.take(request, now),
            _ => Claim::Unknown,
        })
    }

    async fn renew(&self, key: &IdempotencyKey, fence: Fence, lease: Duration) -> Result<(), StoreError> {
        let until = after(Instant::now(), lease);
        if let State::Running { until: kept } = &mut self.lock().held(key, fence)?.state {
            *kept = until;
        }
        Ok(())
    }

    async fn settle(&self, key: &IdempotencyKey, fence: Fence, settled: &Settled) -> Result<(), StoreError> {
        let now = Instant::now();
        let mut claims = self.lock();
        if let Some(Entry { about, state: State::Settled(kept), .. }) = claims.by_key.get(key) {
            // Said again, since the first answer was lost or the tool has said it already.
            let again = about.fence == fence && kept.is_same(settled);
            return if again { Ok(()) } else { Err(StoreError::LostFence) };
        }
        claims.held(key, fence)?;
        claims.settle(key, settled, now);
        Ok(())
    }

    async fn release(&self, key: &IdempotencyKey, fence: Fence) -> Result<(), StoreError> {
        let mut claims = self.lock();
        claims.held(key, fence)?;
        claims.by_key.remove(key);
        Ok(())
    }

    async fn mark_unknown(&self, key: &IdempotencyKey, fence: Fence, cause: &str) -> Result<(), StoreError> {
        let mut claims = self.lock();
        let entry = claims.held(key, fence)?;
        entry.state = State::Unknown;
        entry.about.cause = Some(cause.to_owned());
        Ok(())
    }
}

#[async_trait]
impl ClaimAdmin for MemoryStore {
    async fn unknown_claims(
        &self,
        tenant: &str,
        after: Option<&IdempotencyKey>,
        at_most: u32,
    ) -> Result<Vec<UnknownClaim>, StoreError> {
        let now = Instant::now();
        let after = IdempotencyKey::restore(tenant, after.map_or("", IdempotencyKey::as_str));
        let claims = self.lock();
        let of_tenant = claims.by_key.range(&after..).take_while(|(key, _)| key.tenant() == tenant);
        let unknown = of_tenant.filter(|(key, entry)| **key != after && entry.is_unknown(now));
        let at_most = usize::try_from(at_most).unwrap_or(usize::MAX);
        Ok(unknown.map(|(_, entry)| entry.about.clone()).take(at_most).collect())
    }

    async fn resolve(&self, claim: &ClaimHandle, how: &Resolution, by: &Operator) -> Result<Audit, StoreError> {
        let now = Instant::now();
        let mut claims = self.lock();
        let entry = claims.held(claim.key(), claim.fence())?;
        if !entry.is_unknown(now) {
            return Err(StoreError::LostFence);
        }
        let audit = Audit::new(entry.about.clone(), how.clone(), by.clone(), SystemTime::now());
        match how {
            Resolution::Release => {
                claims.by_key.remove(claim.key());
            }
            Resolution::Settle(settled) => {
                let fence = claims.fence();
                claims.held(claim.key(), claim.fence())?.about.fence = fence;
                claims.settle(claim.key(), settled, now);
            }
        }
        claims.audits.push_back(audit.clone());
        if claims.audits.len() > self.capacity {
            claims.audits.pop_front();
        }
        Ok(audit)
    }

    async fn audits(&self, tenant: &str, at_most: u32) -> Result<Vec<Audit>, StoreError> {
        let claims = self.lock();
        let of_tenant = claims.audits.iter().rev().filter(|audit| audit.claim.key.tenant() == tenant);
        Ok(of_tenant.take(usize::try_from(at_most).unwrap_or(usize::MAX)).cloned().collect())
    }

    async fn forget_claims(&self, tenant: &str, settled_for: Duration) -> Result<u64, StoreError> {
        let now = Instant::now();
        let mut claims = self.lock();
        let Claims { by_key, settled, .. } = &mut *claims;
        let before = settled.len();
        settled.retain(|(settled_at, key)| {
            let old = key.tenant() == tenant && now.saturating_duration_since(*settled_at) >= settled_for;
            if old {
                by_key.remove(key);
            }
            !old
        });
        Ok((before - settled.len()) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::idempotency::Position;
    use crate::model::CallId;
    use crate::tool::Duplicates;

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

    #[tokio::test(start_paused = true)]
    async fn it_keeps_the_contract_of_a_store() {
        let shared = async || std::sync::Arc::new(MemoryStore::new());
        crate::testing::claims(shared, async |_, time| tokio::time::advance(time).await).await;
        crate::testing::claims(async || MemoryStore::new(), async |_, time| tokio::time::advance(time).await).await;
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
