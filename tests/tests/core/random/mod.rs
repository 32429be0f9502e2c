//! Whatever a model says, however tools and stores fail, whenever the host cancels: the run ends within its
//! bounds, each call has one result, nothing runs that is not allowed, and no effect happens twice.
//!
//! `RANDOM_RUNS` says how many runs, `RANDOM_SEED` which one alone. A failure prints its seed and its case.

mod case;
mod invariants;
mod moody;

use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU64, Ordering};

use self::case::Case;

/// As many as continuous integration should see.
const RUNS: u64 = 100_000;

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name} must be a number")))
}

#[test]
fn random_runs_end_within_their_bounds_and_do_nothing_twice() {
    crate::world::hush_expected_panics();
    if let Some(seed) = setting("RANDOM_SEED") {
        let case = Case::random(seed);
        println!("{case:#?}");
        return run(case);
    }
    let runs = setting("RANDOM_RUNS").unwrap_or(RUNS);
    let next = AtomicU64::new(0);
    std::thread::scope(|threads| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            threads.spawn(|| {
                while let Some(seed) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|seed| *seed < runs) {
                    if std::panic::catch_unwind(AssertUnwindSafe(|| run(Case::random(seed)))).is_err() {
                        panic!("the run of RANDOM_SEED={seed} broke a promise: {:#?}", Case::random(seed));
                    }
                }
            });
        }
    });
    println!("{runs} random runs");
}

fn run(case: Case) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    runtime.block_on(invariants::check(case));
}
