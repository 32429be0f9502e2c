//! The contract of a store of runs, as a test.

mod rules;

use std::time::Duration;

use crate::run_store::RunStore;

/// Holds a store of runs against the contract of [`RunStore`].
///
/// `make` gives a store that is empty, each time another; `advance` moves the clock of a store forward, or waits. Leases
/// are half a minute long.
///
/// ```
/// use agent_core::run_store::MemoryRunStore;
/// use agent_core::testing;
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(
/// testing::runs(async || MemoryRunStore::new(), async |_, by| tokio::time::advance(by).await)
/// # );
/// ```
///
/// # Panics
///
/// When the store breaks a rule; the message says which.
pub async fn runs<S, M, A>(make: M, advance: A)
where
    S: RunStore + 'static,
    M: AsyncFn() -> S,
    A: AsyncFn(&S, Duration),
{
    macro_rules! hold {
        ($($rule:path),* $(,)?) => {
            $($rule(&std::sync::Arc::new(make().await), &advance).await;)*
        };
    }
    hold!(
        rules::a_new_run_is_stored_as_it_begins,
        rules::a_run_at_work_belongs_to_one,
        rules::a_run_that_was_cut_off_is_taken_up_where_it_was_saved,
        rules::a_finished_run_is_given_back_and_never_changes,
        rules::the_same_id_with_another_request_is_refused,
        rules::a_lost_fence_changes_nothing,
        rules::a_run_that_is_kept_or_saved_is_owned_longer,
        rules::a_run_that_is_handed_over_is_taken_up_at_once,
        rules::a_run_that_is_handed_over_is_no_longer_its_owners,
        rules::one_of_many_takes_a_run_up,
        rules::tenants_do_not_meet,
        rules::abandoned_runs_are_listed,
        rules::finished_runs_are_forgotten_and_others_are_not,
        rules::an_unfinished_run_is_never_forgotten,
        rules::fences_rise,
    );
}
