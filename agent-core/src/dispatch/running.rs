//! Which mutating calls are running, also after everyone stopped waiting for them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

use super::toolbox::after;
use crate::model::CallId;

/// The mutating calls that are running.
#[derive(Debug, Default)]
pub(crate) struct InFlight {
    calls: Mutex<Calls>,
    emptied: Notify,
}

#[derive(Debug, Default)]
struct Calls {
    running: BTreeMap<u64, CallId>,
    next: u64,
}

impl InFlight {
    /// Counts a call as running until the guard is dropped.
    pub(crate) fn enter(self: &Arc<Self>, call: CallId) -> Guard {
        let mut calls = self.lock();
        let ticket = calls.next;
        calls.next += 1;
        calls.running.insert(ticket, call);
        Guard { of: self.clone(), ticket }
    }

    /// Waits until none is running, for at most this long; gives those that still are.
    pub(crate) async fn drain(&self, at_most: Duration) -> Vec<CallId> {
        let until = after(Instant::now(), at_most);
        loop {
            let emptied = self.emptied.notified();
            tokio::pin!(emptied);
            // Registered before the look, so that no end falls between the two.
            emptied.as_mut().enable();
            let left: Vec<_> = self.lock().running.values().cloned().collect();
            if left.is_empty() {
                return left;
            }
            if timeout_at(until, emptied).await.is_err() {
                return self.lock().running.values().cloned().collect();
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Calls> {
        // No code that can panic runs under the lock, so a poisoned one is whole.
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One running call.
#[derive(Debug)]
pub(crate) struct Guard {
    of: Arc<InFlight>,
    ticket: u64,
}

impl Drop for Guard {
    fn drop(&mut self) {
        let mut calls = self.of.lock();
        calls.running.remove(&self.ticket);
        if calls.running.is_empty() {
            self.of.emptied.notify_waiters();
        }
    }
}
