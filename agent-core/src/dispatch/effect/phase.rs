//! Who has the last word on whether a call starts: the one who runs it, or the one who stops waiting.

use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};

// A call begins at 0: asking the store.
const WAITING: u8 = 1;
const DOUBTFUL: u8 = 2;
const RUNNING: u8 = 3;
const ABANDONED: u8 = 4;
const ENDED: u8 = 5;

/// How far a call has come. It comes to `running` or to `abandoned` once; then it can only end.
#[derive(Debug, Default)]
pub(super) struct Phase {
    at: AtomicU8,
    attempts: AtomicU32,
}

/// Where a call stood when nobody waited for it any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Abandoned {
    /// Asking the store; it will not start.
    Claiming,
    /// Waiting for the same call to end elsewhere; it will not start.
    Waiting,
    /// Finding out whether an earlier call took effect; it will not start.
    Doubtful,
    /// Started; it goes on.
    Running,
    /// It is known how it ended; whoever runs it gives that at once, or once the audit has it.
    Ended,
}

impl Phase {
    /// Notes that the same call is running elsewhere.
    pub(super) fn wait(&self) {
        self.advance(WAITING);
    }

    /// Notes that an earlier call may have taken effect.
    pub(super) fn doubt(&self) {
        self.advance(DOUBTFUL);
    }

    /// Starts the call, unless it was abandoned before.
    pub(super) fn start(&self) -> bool {
        self.advance(RUNNING)
    }

    /// Notes that it is known how the call ended.
    pub(super) fn end(&self) {
        self.advance(ENDED);
    }

    /// Keeps the call from starting, unless it has started.
    pub(super) fn abandon(&self) -> Abandoned {
        let leave = |at| (at != RUNNING && at != ENDED).then_some(ABANDONED);
        match self.at.fetch_update(Ordering::AcqRel, Ordering::Acquire, leave) {
            Err(ENDED) => Abandoned::Ended,
            Err(_) => Abandoned::Running,
            Ok(WAITING) => Abandoned::Waiting,
            Ok(DOUBTFUL) => Abandoned::Doubtful,
            Ok(_) => Abandoned::Claiming,
        }
    }

    /// Whether nobody waits and it has not started.
    pub(super) fn is_abandoned(&self) -> bool {
        self.at.load(Ordering::Acquire) == ABANDONED
    }

    /// Counts a try of the tool's function.
    pub(super) fn tried(&self) -> u32 {
        self.attempts.fetch_add(1, Ordering::AcqRel) + 1
    }

    /// How often the tool's function was tried.
    pub(super) fn attempts(&self) -> u32 {
        self.attempts.load(Ordering::Acquire)
    }

    /// Goes on, unless it was abandoned.
    fn advance(&self, to: u8) -> bool {
        self.at.fetch_update(Ordering::AcqRel, Ordering::Acquire, |at| (at != ABANDONED).then_some(to)).is_ok()
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
        phase.doubt();
        assert_eq!(phase.abandon(), Abandoned::Doubtful);
        assert!(!phase.start());

        let phase = Phase::default();
        phase.end();
        assert_eq!(phase.abandon(), Abandoned::Ended);
        assert!(!phase.is_abandoned());
    }
}
