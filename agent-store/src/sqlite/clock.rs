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
        Ok(Self { boot: boot.trim().into() })
    }

    pub(super) fn now(&self) -> Moment {
        let now = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
        Moment { boot: self.boot.clone(), at: now.tv_sec * 1000 + now.tv_nsec / 1_000_000 }
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
impl Clock {
    pub(super) fn of_this_machine() -> Result<Self, StoreError> {
        Ok(Self { boot: "wall".into() })
    }

    pub(super) fn now(&self) -> Moment {
        Moment { boot: self.boot.clone(), at: wall_micros() / 1000 }
    }
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
