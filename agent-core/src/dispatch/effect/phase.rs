//! Who has the last word on whether a call starts: the one who runs it, or the one who stops waiting.

use std::sync::atomic::{AtomicU8, Ordering};

const CLAIMING: u8 = 0;
const WAITING: u8 = 1;
const RUNNING: u8 = 2;
const ABANDONED: u8 = 3;

/// How far a call has come. It leaves `claiming` and `waiting` once, to `running` or to `abandoned`.
#[derive(Debug, Default)]
pub(super) struct Phase(AtomicU8);

/// Where a call stood when nobody waited for it any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Abandoned {
    /// Asking the store; it will not start.
    Claiming,
    /// Waiting for the same call to end elsewhere; it will not start.
    Waiting,
    /// Started; it goes on.
    Running,
}

impl Phase {
    /// Notes that the same call is running elsewhere.
    pub(super) fn wait(&self) {
        // A failed exchange means that it was abandoned, which stays.
        let _ = self.0.compare_exchange(CLAIMING, WAITING, Ordering::AcqRel, Ordering::Acquire);
    }

    /// Starts the call, unless it was abandoned before.
    pub(super) fn start(&self) -> bool {
        let claiming = self.0.compare_exchange(CLAIMING, RUNNING, Ordering::AcqRel, Ordering::Acquire);
        claiming.is_ok() || self.0.compare_exchange(WAITING, RUNNING, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    /// Keeps the call from starting, unless it has started.
    pub(super) fn abandon(&self) -> Abandoned {
        if self.0.compare_exchange(CLAIMING, ABANDONED, Ordering::AcqRel, Ordering::Acquire).is_ok() {
            return Abandoned::Claiming;
        }
        match self.0.compare_exchange(WAITING, ABANDONED, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => Abandoned::Waiting,
            Err(RUNNING) => Abandoned::Running,
            Err(_) => Abandoned::Claiming,
        }
    }

    /// Whether nobody waits and it has not started.
    pub(super) fn is_abandoned(&self) -> bool {
        self.0.load(Ordering::Acquire) == ABANDONED
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_abandoned_call_never_starts_and_a_started_one_is_never_abandoned() {
        let phase = Phase::default();
        assert_eq!(phase.abandon(), Abandoned::Claiming);
        assert!(!phase.start() && phase.is_abandoned());

        let phase = Phase::default();
        phase.wait();
        assert!(phase.start());
        assert_eq!(phase.abandon(), Abandoned::Running);

        let phase = Phase::default();
        phase.wait();
        assert_eq!(phase.abandon(), Abandoned::Waiting);
        assert!(!phase.start());
    }
}
