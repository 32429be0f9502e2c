//! The clock by which leases are measured: one that all users of the file share, and, on Linux, nobody sets.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use agent_core::idempotency::{Cause, StoreError};

use crate::convert::millis;

/// A clock of one machine, from one start of it to the next.
///
/// All users of a file in WAL mode are on one machine, for they share memory. So the time since the machine was started
/// will do for leases, and an owner that is from before the last start is dead.
#[derive(Debug, Clone)]
pub(super) struct Clock {
    boot: Arc<str>,
    /// Milliseconds by which a test has set it.
    #[cfg(test)]
    ahead: Arc<std::sync::atomic::AtomicI64>,
}

impl Clock {
    fn of(boot: &str) -> Self {
        Self {
            boot: boot.into(),
            #[cfg(test)]
            ahead: Arc::default(),
        }
    }

    pub(super) fn now(&self) -> Moment {
        let at = since_start();
        #[cfg(test)]
        let at = at + self.ahead.load(std::sync::atomic::Ordering::SeqCst);
        Moment { boot: self.boot.clone(), at }
    }
}

/// A moment on that clock.
#[derive(Debug, Clone)]
pub(super) struct Moment {
    /// The start of the machine that the time counts from.
    pub(super) boot: Arc<str>,
    /// Milliseconds since then.
    pub(super) at: i64,
}

impl Moment {
    /// When a lease that begins now is over.
    pub(super) fn after(&self, lease: Duration) -> i64 {
        self.at.saturating_add(millis(lease))
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
impl Clock {
    pub(super) fn of_this_machine() -> Result<Self, StoreError> {
        const BOOT_ID: &str = "/proc/sys/kernel/random/boot_id";
        // Without it a process would take the claims of its neighbours for those of before the last start.
        let boot = std::fs::read_to_string(BOOT_ID).map_err(|error| {
            StoreError::Failed(Cause::new(format!("`{BOOT_ID}` cannot be read, and leases need it")).because(error))
        })?;
        Ok(Self::of(boot.trim()))
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn since_start() -> i64 {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    now.tv_sec * 1000 + now.tv_nsec / 1_000_000
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
impl Clock {
    pub(super) fn of_this_machine() -> Result<Self, StoreError> {
        Ok(Self::of("wall"))
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn since_start() -> i64 {
    wall_micros() / 1000
}

/// The wall clock, for people and for retention, in microseconds since 1970.
pub(super) fn wall_micros() -> i64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_micros()).unwrap_or(i64::MAX / 4)
}

/// A moment of the wall clock.
pub(super) fn wall(micros: i64) -> SystemTime {
    let since = Duration::from_micros(u64::try_from(micros).unwrap_or_default());
    SystemTime::UNIX_EPOCH.checked_add(since).unwrap_or(SystemTime::UNIX_EPOCH)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use agent_core::arguments::Digest;
    use agent_core::idempotency::{Claim, ClaimRequest, Fence, IdempotencyKey, IdempotencyStore, Settled};
    use agent_core::model::CallId;

    use crate::SqliteStore;

    const HOUR: i64 = 60 * 60 * 1000;

    async fn claim(store: &SqliteStore, name: &str) -> Claim {
        let (key, digest, id) = (IdempotencyKey::restore("t", name), Digest::from_bytes([1; 32]), CallId::new("c"));
        store.claim(&ClaimRequest::new(&key, &digest, &id)).await.unwrap()
    }

    async fn fresh(store: &SqliteStore, name: &str) -> Fence {
        match claim(store, name).await {
            Claim::Fresh(fence) => fence,
            other => panic!("expected a fresh claim, got {other:?}"),
        }
    }

    /// On Linux nobody sets the clock of leases; elsewhere it is the machine's wall clock, and this is what comes of it.
    #[tokio::test]
    async fn a_clock_that_is_set_back_ends_no_lease_and_gives_no_fence_twice() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(folder.path().join("s.db")).await.unwrap();
        let ahead = &store.inner.clock.ahead;
        let running = fresh(&store, "a").await;
        ahead.store(-HOUR, Ordering::SeqCst);
        assert!(matches!(claim(&store, "a").await, Claim::InFlight));
        let next = fresh(&store, "b").await;
        assert_eq!(next.0, running.0 + 1, "fences come from no clock");
        ahead.store(60_000 - HOUR, Ordering::SeqCst);
        assert!(matches!(claim(&store, "a").await, Claim::InFlight), "what a dead process left waits for the jump");
        assert!(matches!(claim(&store, "b").await, Claim::Unknown), "what was claimed since does not");
        let settled = Settled::Unreadable;
        store.settle(&IdempotencyKey::restore("t", "a"), running, &settled).await.unwrap();
    }

    #[tokio::test]
    async fn a_clock_that_is_set_forward_makes_a_claim_look_unknown_and_stay_its_owners() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(folder.path().join("s.db")).await.unwrap();
        let running = fresh(&store, "a").await;
        store.inner.clock.ahead.store(HOUR, Ordering::SeqCst);
        assert!(matches!(claim(&store, "a").await, Claim::Unknown));
        store.settle(&IdempotencyKey::restore("t", "a"), running, &Settled::Unreadable).await.unwrap();
        assert!(matches!(claim(&store, "a").await, Claim::Settled(_)));
    }
}
