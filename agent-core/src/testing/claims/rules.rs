//! What holds for the one who runs a call.

use std::time::Duration;

use super::ask::{Desk, LEASE, digest, key, lost, ok, operator, value};
use crate::idempotency::{Claim, ClaimAdmin, ClaimRequest, Fence, IdempotencyStore, Resolution, Settled};
use crate::model::CallId;

/// As many as ask at once.
const MANY: usize = 24;

pub(super) async fn a_settled_claim_gives_its_value_again<S: IdempotencyStore>(
    desk: &Desk<S>,
    _: &impl AsyncFn(&S, Duration),
) {
    let fence = desk.fresh(1).await;
    ok(desk.settle(1, fence, r#"{"id":7}"#).await);
    for _ in 0..3 {
        desk.holds(1, r#"{"id":7}"#).await;
    }
    let fence = desk.fresh(2).await;
    ok(desk.store.settle(&key("t", 2), fence, &Settled::Unreadable).await);
    assert!(matches!(desk.claim(2).await, Claim::Settled(Settled::Unreadable)), "a value that cannot be read");
}

pub(super) async fn a_running_claim_is_in_flight<S: IdempotencyStore>(desk: &Desk<S>, _: &impl AsyncFn(&S, Duration)) {
    desk.fresh(1).await;
    assert!(matches!(desk.claim(1).await, Claim::InFlight), "a claim that is running");
}

pub(super) async fn a_released_claim_is_fresh_again<S: IdempotencyStore>(
    desk: &Desk<S>,
    _: &impl AsyncFn(&S, Duration),
) {
    let old = desk.fresh(1).await;
    ok(desk.store.release(&key("t", 1), old).await);
    let new = desk.fresh(1).await;
    assert_ne!(old, new, "a new claim has a fence of its own");
    ok(desk.settle(1, new, "2").await);
    desk.holds(1, "2").await;
}

pub(super) async fn another_digest_is_a_conflict<S: IdempotencyStore>(desk: &Desk<S>, _: &impl AsyncFn(&S, Duration)) {
    let conflict = async || {
        let (key, other, id) = (key("t", 1), digest(9), CallId::new("call-2"));
        let answer = ok(desk.store.claim(&ClaimRequest::new(&key, &other, &id).repeat_unknown(true)).await);
        assert!(matches!(answer, Claim::Conflict), "the same key with other arguments: {answer:?}");
    };
    let fence = desk.fresh(1).await;
    conflict().await;
    ok(desk.store.mark_unknown(&key("t", 1), fence, "fault").await);
    conflict().await;
    ok(desk.settle(1, fence, "1").await);
    conflict().await;
}

pub(super) async fn a_claim_that_is_marked_unknown_stays_so<S: IdempotencyStore>(
    desk: &Desk<S>,
    _: &impl AsyncFn(&S, Duration),
) {
    let fence = desk.fresh(1).await;
    ok(desk.store.mark_unknown(&key("t", 1), fence, "panic").await);
    for _ in 0..2 {
        assert!(matches!(desk.claim(1).await, Claim::Unknown), "a claim that is marked unknown");
    }
    ok(desk.store.renew(&key("t", 1), fence, LEASE).await);
    assert!(matches!(desk.claim(1).await, Claim::Unknown), "renewing does not make it known");
    ok(desk.settle(1, fence, "1").await);
    desk.holds(1, "1").await;
}

pub(super) async fn a_claim_whose_lease_is_over_is_unknown<S: IdempotencyStore>(
    desk: &Desk<S>,
    advance: &impl AsyncFn(&S, Duration),
) {
    desk.fresh(1).await;
    advance(&desk.store, LEASE / 2).await;
    assert!(matches!(desk.claim(1).await, Claim::InFlight), "half of the lease is left");
    advance(&desk.store, LEASE).await;
    assert!(matches!(desk.claim(1).await, Claim::Unknown), "the lease is over");
}

pub(super) async fn a_late_owner_may_still_settle<S: IdempotencyStore>(
    desk: &Desk<S>,
    advance: &impl AsyncFn(&S, Duration),
) {
    let fence = desk.fresh(1).await;
    advance(&desk.store, LEASE * 2).await;
    assert!(matches!(desk.claim(1).await, Claim::Unknown), "the lease is over");
    ok(desk.settle(1, fence, "1").await);
    desk.holds(1, "1").await;
}

pub(super) async fn a_late_owner_may_still_release<S: IdempotencyStore>(
    desk: &Desk<S>,
    advance: &impl AsyncFn(&S, Duration),
) {
    let fence = desk.fresh(1).await;
    advance(&desk.store, LEASE * 2).await;
    ok(desk.store.renew(&key("t", 1), fence, LEASE).await);
    assert!(matches!(desk.claim(1).await, Claim::InFlight), "its owner lives");
    advance(&desk.store, LEASE * 2).await;
    ok(desk.store.release(&key("t", 1), fence).await);
    desk.fresh(1).await;
}

pub(super) async fn a_renewed_claim_lives_longer<S: IdempotencyStore>(
    desk: &Desk<S>,
    advance: &impl AsyncFn(&S, Duration),
) {
    let fence = desk.fresh(1).await;
    for _ in 0..3 {
        advance(&desk.store, LEASE / 2).await;
        ok(desk.store.renew(&key("t", 1), fence, LEASE).await);
    }
    assert!(matches!(desk.claim(1).await, Claim::InFlight), "it was renewed");
    advance(&desk.store, LEASE * 2).await;
    assert!(matches!(desk.claim(1).await, Claim::Unknown), "it was not renewed any more");
}

pub(super) async fn an_unknown_claim_is_repeated_only_on_demand<S: IdempotencyStore>(
    desk: &Desk<S>,
    advance: &impl AsyncFn(&S, Duration),
) {
    let first = desk.fresh(1).await;
    advance(&desk.store, LEASE * 2).await;
    assert!(matches!(desk.claim(1).await, Claim::Unknown), "it is not repeated by itself");
    let second = desk.repeat(1).await;
    assert_ne!(first, second, "a repetition has a fence of its own");
    assert!(matches!(desk.claim(1).await, Claim::InFlight), "the repetition runs, under a new lease");
    ok(desk.store.mark_unknown(&key("t", 1), second, "fault").await);
    let third = desk.repeat(1).await;
    ok(desk.settle(1, third, "3").await);
    desk.holds(1, "3").await;
}

pub(super) async fn a_running_claim_is_never_repeated<S: IdempotencyStore>(
    desk: &Desk<S>,
    _: &impl AsyncFn(&S, Duration),
) {
    let fence = desk.fresh(1).await;
    assert!(matches!(desk.ask("t", 1, true).await, Claim::InFlight), "it is running");
    ok(desk.settle(1, fence, "1").await);
    assert!(matches!(desk.ask("t", 1, true).await, Claim::Settled(_)), "it is settled");
}

pub(super) async fn a_lost_fence_changes_nothing<S: IdempotencyStore>(
    desk: &Desk<S>,
    advance: &impl AsyncFn(&S, Duration),
) {
    let old = desk.fresh(1).await;
    advance(&desk.store, LEASE * 2).await;
    let new = desk.repeat(1).await;
    let key = key("t", 1);
    let refused = async || {
        for fence in [old, Fence(new.0 + 1), Fence(0), Fence(u64::MAX)] {
            lost(desk.store.settle(&key, fence, &value("9")).await);
            lost(desk.store.release(&key, fence).await);
            lost(desk.store.mark_unknown(&key, fence, "late").await);
            lost(desk.store.renew(&key, fence, LEASE * 100).await);
        }
    };
    refused().await;
    assert!(matches!(desk.claim(1).await, Claim::InFlight), "the new owner's claim stands");
    advance(&desk.store, LEASE * 2).await;
    assert!(matches!(desk.claim(1).await, Claim::Unknown), "and its lease was not made longer");
    ok(desk.settle(1, new, "1").await);
    refused().await;
    desk.holds(1, "1").await;
}

pub(super) async fn a_settlement_may_be_said_again_and_not_be_changed<S: IdempotencyStore>(
    desk: &Desk<S>,
    _: &impl AsyncFn(&S, Duration),
) {
    let fence = desk.fresh(1).await;
    ok(desk.settle(1, fence, r#"{"id":7}"#).await);
    ok(desk.settle(1, fence, r#"{"id":7}"#).await);
    ok(desk.settle(1, fence, r#"{ "id" : 7 }"#).await);
    lost(desk.settle(1, fence, r#"{"id":8}"#).await);
    lost(desk.store.settle(&key("t", 1), fence, &Settled::Unreadable).await);
    lost(desk.store.release(&key("t", 1), fence).await);
    lost(desk.store.mark_unknown(&key("t", 1), fence, "late").await);
    desk.holds(1, r#"{"id":7}"#).await;
}

pub(super) async fn what_was_never_claimed_cannot_be_settled<S: IdempotencyStore>(
    desk: &Desk<S>,
    _: &impl AsyncFn(&S, Duration),
) {
    let key = key("t", 1);
    lost(desk.store.settle(&key, Fence(1), &value("1")).await);
    lost(desk.store.release(&key, Fence(1)).await);
    lost(desk.store.renew(&key, Fence(1), LEASE).await);
    lost(desk.store.mark_unknown(&key, Fence(1), "?").await);
    desk.fresh(1).await;
}

/// Asks for one key many times at once, and says how often it was fresh and how often in flight.
async fn race<S: IdempotencyStore + 'static>(desk: &Desk<S>, repeat: bool) -> (usize, usize) {
    let asked = (0..MANY).map(|_| {
        let desk = Desk { store: desk.store.clone() };
        tokio::spawn(async move { desk.ask("t", 1, repeat).await })
    });
    let (mut fresh, mut in_flight) = (0, 0);
    for task in asked.collect::<Vec<_>>() {
        match task.await {
            Ok(Claim::Fresh(_)) => fresh += 1,
            Ok(Claim::InFlight) => in_flight += 1,
            other => panic!("one of many claims was answered {other:?}"),
        }
    }
    (fresh, in_flight)
}

pub(super) async fn one_of_many_claims_is_fresh<S: IdempotencyStore + 'static>(
    desk: &Desk<S>,
    _: &impl AsyncFn(&S, Duration),
) {
    assert_eq!(race(desk, false).await, (1, MANY - 1), "of many claims at once, one is fresh");
}

pub(super) async fn one_of_many_repetitions_is_fresh<S: IdempotencyStore + 'static>(
    desk: &Desk<S>,
    advance: &impl AsyncFn(&S, Duration),
) {
    desk.fresh(1).await;
    advance(&desk.store, LEASE * 2).await;
    assert_eq!(race(desk, true).await, (1, MANY - 1), "of many repetitions at once, one is fresh");
}

pub(super) async fn fences_rise<S: IdempotencyStore + ClaimAdmin>(
    desk: &Desk<S>,
    advance: &impl AsyncFn(&S, Duration),
) {
    let first = desk.fresh(1).await;
    let mut last = first;
    let mut higher = |fence: Fence, after: &str| {
        assert!(fence > last, "a claim after {after} has a higher fence than all before: {fence:?} and {last:?}");
        last = fence;
    };
    ok(desk.store.release(&key("t", 1), first).await);
    let released = desk.fresh(1).await;
    higher(released, "a release");
    advance(&desk.store, LEASE * 2).await;
    higher(desk.repeat(1).await, "a lease that is over");
    advance(&desk.store, LEASE * 2).await;
    let unknown = ok(desk.store.unknown_claims("t", None, 10).await);
    let handle = unknown[0].handle();
    ok(desk.store.resolve(&handle, &Resolution::Release, &operator()).await);
    let resolved = desk.fresh(1).await;
    higher(resolved, "a release by hand");
    ok(desk.settle(1, resolved, "1").await);
    ok(desk.store.forget_claims("t", Duration::ZERO).await);
    higher(desk.fresh(1).await, "a claim that was forgotten");
}

pub(super) async fn tenants_do_not_meet<S: IdempotencyStore>(desk: &Desk<S>, _: &impl AsyncFn(&S, Duration)) {
    let mine = desk.fresh(1).await;
    // The same text under another tenant, as no honest key is: the store must look at the tenant as well.
    let theirs = crate::idempotency::IdempotencyKey::restore("u", key("t", 1).as_str());
    lost(desk.store.settle(&theirs, mine, &value("9")).await);
    lost(desk.store.release(&theirs, mine).await);
    lost(desk.store.renew(&theirs, mine, LEASE).await);
    lost(desk.store.mark_unknown(&theirs, mine, "?").await);
    let (digest, id) = (digest(1), CallId::new("call-1"));
    let other = ok(desk.store.claim(&ClaimRequest::new(&theirs, &digest, &id)).await);
    let Claim::Fresh(other) = other else { panic!("another tenant's claim is its own, not {other:?}") };
    ok(desk.store.settle(&theirs, other, &value("9")).await);
    assert!(matches!(desk.claim(1).await, Claim::InFlight), "another tenant's settlement changed a claim");
    ok(desk.settle(1, mine, "1").await);
    desk.holds(1, "1").await;
}

pub(super) async fn values_come_back_as_they_were<S: IdempotencyStore>(desk: &Desk<S>, _: &impl AsyncFn(&S, Duration)) {
    let long = format!("\"{}\"", "ä\\u0000'".repeat(50_000));
    let texts = ["null", "1.0", "1e400", r#"{"b":1,"a":[2, 3],"b":4}"#, r#""\ud83d\ude00 '; DROP TABLE""#, &long];
    for (n, json) in (1..).zip(texts) {
        let fence = desk.fresh(n).await;
        ok(desk.settle(n, fence, json).await);
        desk.holds(n, json).await;
    }
}
