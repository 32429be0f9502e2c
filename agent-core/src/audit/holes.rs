//! The runs of which a record was lost.

use std::collections::{HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Of so many runs it is remembered; then the one that was first is forgotten.
pub(super) const MOST: usize = 10_000;

/// A tenant and a run id.
type Key = Arc<(String, String)>;

/// The runs of which a record was lost, as far as this process knows: also between calls that are made by hand, and until
/// a run is taken up.
#[derive(Default)]
pub(super) struct Holes {
    /// Whether there is any, so that a sound audit costs nothing.
    any: AtomicBool,
    runs: Mutex<Runs>,
}

#[derive(Default)]
struct Runs {
    all: HashSet<Key>,
    in_order: VecDeque<Key>,
}

impl Holes {
    pub(super) fn has(&self, tenant: &str, run_id: &str) -> bool {
        self.any.load(Ordering::Acquire) && self.lock().all.contains(&(tenant.to_owned(), run_id.to_owned()))
    }

    pub(super) fn add(&self, tenant: &str, run_id: &str) {
        let key = Arc::new((tenant.to_owned(), run_id.to_owned()));
        let mut runs = self.lock();
        if runs.all.insert(key.clone()) {
            runs.in_order.push_back(key);
        }
        if runs.in_order.len() > MOST
            && let Some(first) = runs.in_order.pop_front()
        {
            runs.all.remove(&first);
        }
        self.any.store(true, Ordering::Release);
    }

    fn lock(&self) -> MutexGuard<'_, Runs> {
        // No code that can panic runs under the lock.
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hole_is_of_one_run_of_one_tenant_and_the_first_of_too_many_is_forgotten() {
        let holes = Holes::default();
        assert!(!holes.has("t", "0"));
        for run in 0..=MOST {
            holes.add("t", &run.to_string());
            holes.add("t", &run.to_string());
        }
        assert!(!holes.has("t", "0") && holes.has("t", "1") && holes.has("t", &MOST.to_string()));
        assert!(!holes.has("u", "1"));
    }
}
