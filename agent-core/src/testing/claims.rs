//! The contract of a store of claims, as a test.

mod admin;
mod ask;
mod rules;

use std::time::Duration;

use self::ask::Desk;
use crate::idempotency::{ClaimAdmin, IdempotencyStore};

/// Holds a store of claims against the contract of [`IdempotencyStore`] and [`ClaimAdmin`].
///
/// `make` gives a store that is empty, each time another; `advance` moves the clock of a store forward, or waits. Leases
/// are half a minute long, and the suite never asks for more than a few minutes in all.
///
/// ```
/// use agent_core::idempotency::MemoryStore;
/// use agent_core::testing;
///
/// # tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap().block_on(
/// testing::claims(async || MemoryStore::new(), async |_, by| tokio::time::advance(by).await)
/// # );
/// ```
///
/// # Panics
///
/// When the store breaks a rule; the message says which.
pub async fn claims<S, M, A>(make: M, advance: A)
where
    S: IdempotencyStore + ClaimAdmin + 'static,
    M: AsyncFn() -> S,
    A: AsyncFn(&S, Duration),
{
    macro_rules! hold {
        ($($rule:path),* $(,)?) => {
            $($rule(&Desk::new(make().await), &advance).await;)*
        };
    }
    hold!(
        rules::a_settled_claim_gives_its_value_again,
        rules::a_running_claim_is_in_flight,
        rules::a_released_claim_is_fresh_again,
        rules::another_digest_is_a_conflict,
        rules::a_claim_that_is_marked_unknown_stays_so,
        rules::a_claim_whose_lease_is_over_is_unknown,
        rules::a_late_owner_may_still_settle,
        rules::a_late_owner_may_still_release,
        rules::a_renewed_claim_lives_longer,
        rules::an_unknown_claim_is_repeated_only_on_demand,
        rules::a_running_claim_is_never_repeated,
        rules::a_lost_fence_changes_nothing,
        rules::a_settlement_may_be_said_again_and_not_be_changed,
        rules::what_was_never_claimed_cannot_be_settled,
        rules::one_of_many_claims_is_fresh,
        rules::one_of_many_repetitions_is_fresh,
        rules::fences_rise,
        rules::tenants_do_not_meet,
        rules::values_come_back_as_they_were,
        admin::unknown_claims_are_listed_with_what_is_known,
        admin::pages_hold_each_unknown_claim_once,
        admin::a_claim_is_settled_by_hand,
        admin::a_claim_is_released_by_hand,
        admin::only_what_was_looked_at_is_resolved,
        admin::one_of_many_resolves,
        admin::a_resolution_and_a_late_settlement_do_not_both_count,
        admin::a_resolved_claim_is_no_longer_its_owners,
        admin::operators_of_one_tenant_see_nothing_of_another,
        admin::settled_claims_are_forgotten_and_others_are_not,
        admin::what_runs_or_is_unknown_is_never_forgotten,
    );
}
