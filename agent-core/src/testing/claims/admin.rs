//! What holds for the operator.

use std::time::{Duration, SystemTime};

use super::ask::{Desk, LEASE, key, lost, ok, operator, value};
use crate::idempotency::{Claim, ClaimAdmin, IdempotencyStore, Resolution, Settled, UnknownClaim};

/// The tenant's only unknown claim.
async fn the_unknown<S: ClaimAdmin>(desk: &Desk<S>) -> UnknownClaim {
    let mut listed = ok(desk.store.unknown_claims("t", None, 10).await);
    assert_eq!(listed.len(), 1, "one claim is unknown: {listed:?}");
    listed.remove(0)
}

pub(super) async fn unknown_claims_are_listed_with_what_is_known<S: IdempotencyStore + ClaimAdmin>(
    desk: &Desk<S>,
    advance: &impl AsyncFn(&S, Duration),
) {
    let settled = desk.fresh(1).await;
    ok(desk.settle(1, settled, "1").await);
    let marked = desk.fresh(2).await;
    ok(desk.store.mark_unknown(&key("t", 2), marked, "panic").await);
    let found = the_unknown(desk).await;
    assert_eq!((&found.key, found.fence), (&key("t", 2), marked), "the claim that was marked");
    assert_eq!(found.cause.as_deref(), Some("panic"), "why it is unknown");
    assert_eq!((&*found.tool, &*found.run_id, &*found.user), ("tool", "run-1", "usr-1"), "what it was");
    assert_eq!(found.call_id.as_str(), "call-1", "which call it was");
    let age = SystemTime::now().duration_since(found.claimed_at).unwrap_or_default();
    assert!(age < Duration::from_secs(24 * 60 * 60), "it was claimed a moment ago, not {age:?}");

    let left = desk.fresh(3).await;
    assert_eq!(ok(desk.store.unknown_claims("t", None, 10).await).len(), 1, "a running claim is not listed");
    advance(&desk.store, LEASE * 2).await;
    let listed = ok(desk.store.unknown_claims("t", None, 10).await);
    assert_eq!(listed.len(), 2, "a claim whose lease is over is listed");
    let late = listed.iter().find(|claim| claim.fence == left && claim.key == key("t", 3));
    assert_eq!(late.map(|claim| claim.cause.as_deref()), Some(None), "nobody said why it is unknown");
}

pub(super) async fn pages_hold_each_unknown_claim_once<S: IdempotencyStore + ClaimAdmin>(
    desk: &Desk<S>,
    advance: &impl AsyncFn(&S, Duration),
) {
    for n in 1..=5 {
        desk.fresh(n).await;
    }
    advance(&desk.store, LEASE * 2).await;
    let mut seen: Vec<UnknownClaim> = Vec::new();
    loop {
        let page = ok(desk.store.unknown_claims("t", seen.last().map(|claim| &claim.key), 2).await);
        assert!(page.len() <= 2, "a page holds no more than was asked for");
        if page.is_empty() {
            break;
        }
        seen.extend(page);
        assert!(seen.len() <= 5, "each claim is listed once: {seen:?}");
    }
    let mut keys: Vec<_> = (1..=5).map(|n| key("t", n)).collect();
    keys.sort();
    assert_eq!(seen.into_iter().map(|claim| claim.key).collect::<Vec<_>>(), keys, "all, in the order of their keys");
}

pub(super) async fn a_claim_is_settled_by_hand<S: IdempotencyStore + ClaimAdmin>(
    desk: &Desk<S>,
    advance: &impl AsyncFn(&S, Duration),
) {
    desk.fresh(1).await;
    advance(&desk.store, LEASE * 2).await;
    let found = the_unknown(desk).await;
    let how = Resolution::Settle(value(r#"{"by":"hand"}"#));
    let audit = ok(desk.store.resolve(&found.handle(), &how, &operator()).await);
    assert_eq!((audit.claim.key, audit.claim.fence), (found.key.clone(), found.fence), "the record names the claim");
    desk.holds(1, r#"{"by":"hand"}"#).await;
    assert!(ok(desk.store.unknown_claims("t", None, 10).await).is_empty(), "it is no longer unknown");
    lost(desk.store.resolve(&found.handle(), &Resolution::Release, &operator()).await);

    let kept = ok(desk.store.audits("t", 10).await);
    assert_eq!(kept.len(), 1, "one record is kept, of what was resolved and not of what was refused");
    let kept = &kept[0];
    assert_eq!((&kept.claim.key, kept.claim.fence), (&found.key, found.fence), "the record names the claim");
    assert_eq!(kept.claim.tool, "tool", "and its tool");
    assert_eq!(kept.operator, operator(), "and who did it and why");
    let as_said =
        matches!(&kept.resolution, Resolution::Settle(Settled::Value(json)) if json.get() == r#"{"by":"hand"}"#);
    assert!(as_said, "and what it was settled with");
}

pub(super) async fn a_claim_is_released_by_hand<S: IdempotencyStore + ClaimAdmin>(
    desk: &Desk<S>,
    _: &impl AsyncFn(&S, Duration),
) {
    let old = desk.fresh(1).await;
    ok(desk.store.mark_unknown(&key("t", 1), old, "fault").await);
    let found = the_unknown(desk).await;
    ok(desk.store.resolve(&found.handle(), &Resolution::Release, &operator()).await);
    let new = desk.fresh(1).await;
    assert_ne!(old, new, "the new claim has a fence of its own");
    ok(desk.store.mark_unknown(&key("t", 1), new, "again").await);
    let found = the_unknown(desk).await;
    ok(desk.store.resolve(&found.handle(), &Resolution::Settle(Settled::Unreadable), &operator()).await);
    let kept = ok(desk.store.audits("t", 10).await);
    assert_eq!(kept.len(), 2, "each resolution is written down");
    let latest_first = matches!(kept[0].resolution, Resolution::Settle(Settled::Unreadable))
        && matches!(kept[1].resolution, Resolution::Release);
    assert!(latest_first, "the latest comes first: {kept:?}");
    assert_eq!(ok(desk.store.audits("t", 1).await).len(), 1, "no more than was asked for");
}

pub(super) async fn only_what_was_looked_at_is_resolved<S: IdempotencyStore + ClaimAdmin>(
    desk: &Desk<S>,
    advance: &impl AsyncFn(&S, Duration),
) {
    let fence = desk.fresh(1).await;
    advance(&desk.store, LEASE * 2).await;
    let seen = the_unknown(desk).await;
    ok(desk.store.renew(&key("t", 1), fence, LEASE).await);
    lost(desk.store.resolve(&seen.handle(), &Resolution::Release, &operator()).await);
    assert!(matches!(desk.claim(1).await, Claim::InFlight), "its owner lives, and keeps it");
    advance(&desk.store, LEASE * 2).await;
    let repeated = desk.repeat(1).await;
    ok(desk.store.mark_unknown(&key("t", 1), repeated, "fault").await);
    lost(desk.store.resolve(&seen.handle(), &Resolution::Release, &operator()).await);
    assert!(matches!(desk.claim(1).await, Claim::Unknown), "the claim that was not looked at stays");
}

/// As many as resolve at once.
const MANY: usize = 12;

pub(super) async fn one_of_many_resolves<S: IdempotencyStore + ClaimAdmin + 'static>(
    desk: &Desk<S>,
    advance: &impl AsyncFn(&S, Duration),
) {
    desk.fresh(1).await;
    advance(&desk.store, LEASE * 2).await;
    let found = the_unknown(desk).await;
    let asked = (0..MANY).map(|n| {
        let (store, handle) = (desk.store.clone(), found.handle());
        tokio::spawn(async move {
            let how = if n % 2 == 0 { Resolution::Release } else { Resolution::Settle(value("1")) };
            store.resolve(&handle, &how, &operator()).await
        })
    });
    let mut resolved = Vec::new();
    for task in asked.collect::<Vec<_>>() {
        match task.await.expect("a resolution does not panic") {
            Ok(audit) => resolved.push(audit),
            refused => lost(refused),
        }
    }
    let kept = ok(desk.store.audits("t", 100).await);
    assert_eq!((resolved.len(), kept.len()), (1, 1), "of many at once, one resolves, and one record is kept");
    agrees(desk, &kept[0]).await;
}

pub(super) async fn a_resolution_and_a_late_settlement_do_not_both_count<S: IdempotencyStore + ClaimAdmin + 'static>(
    desk: &Desk<S>,
    advance: &impl AsyncFn(&S, Duration),
) {
    for n in 1..=8 {
        let owners = desk.fresh(n).await;
        advance(&desk.store, LEASE * 2).await;
        let found = the_unknown(desk).await;
        let (settling, resolving) = (desk.store.clone(), desk.store.clone());
        let settling = tokio::spawn(async move { settling.settle(&key("t", n), owners, &value("2")).await });
        let resolving = tokio::spawn(async move {
            let how = if n % 2 == 0 { Resolution::Release } else { Resolution::Settle(value("1")) };
            resolving.resolve(&found.handle(), &how, &operator()).await
        });
        let settled = settling.await.expect("a settlement does not panic");
        match resolving.await.expect("a resolution does not panic") {
            Ok(audit) => {
                lost(settled);
                assert_eq!(ok(desk.store.audits("t", 1).await)[0].claim.key, audit.claim.key, "it is written down");
                agrees(desk, &audit).await;
            }
            refused => {
                lost(refused);
                ok(settled);
                desk.holds(n, "2").await;
                let kept = ok(desk.store.audits("t", 100).await);
                assert!(
                    kept.iter().all(|audit| audit.claim.key != key("t", n)),
                    "what was refused is not written down"
                );
            }
        }
    }
}

/// Fails unless the claim is what its record says. Afterwards it is settled.
async fn agrees<S: IdempotencyStore>(desk: &Desk<S>, audit: &crate::idempotency::Audit) {
    let n = (1..=8).find(|n| key("t", *n) == audit.claim.key).expect("the suite's own keys");
    match audit.resolution {
        Resolution::Settle(_) => desk.holds(n, "1").await,
        Resolution::Release => {
            let fence = desk.fresh(n).await;
            ok(desk.settle(n, fence, "3").await);
        }
    }
}

pub(super) async fn a_resolved_claim_is_no_longer_its_owners<S: IdempotencyStore + ClaimAdmin>(
    desk: &Desk<S>,
    advance: &impl AsyncFn(&S, Duration),
) {
    let owners = desk.fresh(1).await;
    advance(&desk.store, LEASE * 2).await;
    let found = the_unknown(desk).await;
    ok(desk.store.resolve(&found.handle(), &Resolution::Settle(value("1")), &operator()).await);
    lost(desk.settle(1, owners, "2").await);
    lost(desk.store.release(&key("t", 1), owners).await);
    desk.holds(1, "1").await;

    let owners = desk.fresh(2).await;
    advance(&desk.store, LEASE * 2).await;
    let found = the_unknown(desk).await;
    ok(desk.store.resolve(&found.handle(), &Resolution::Release, &operator()).await);
    lost(desk.settle(2, owners, "2").await);
    desk.fresh(2).await;
}

pub(super) async fn operators_of_one_tenant_see_nothing_of_another<S: IdempotencyStore + ClaimAdmin>(
    desk: &Desk<S>,
    _: &impl AsyncFn(&S, Duration),
) {
    let fence = desk.fresh(1).await;
    ok(desk.store.mark_unknown(&key("t", 1), fence, "fault").await);
    let found = the_unknown(desk).await;
    for tenant in ["u", "", "T", "t ", "%"] {
        assert!(ok(desk.store.unknown_claims(tenant, None, 10).await).is_empty(), "a listing of `{tenant}`");
        let key = crate::idempotency::IdempotencyKey::restore(tenant, found.key.as_str());
        let theirs = crate::idempotency::ClaimHandle::new(key, found.fence);
        lost(desk.store.resolve(&theirs, &Resolution::Release, &operator()).await);
    }
    ok(desk.store.resolve(&found.handle(), &Resolution::Settle(value("1")), &operator()).await);
    assert!(ok(desk.store.audits("u", 10).await).is_empty(), "another tenant's records");
    assert_eq!(ok(desk.store.forget_claims("u", Duration::ZERO).await), 0, "another tenant forgets nothing of it");
    desk.holds(1, "1").await;
}

pub(super) async fn settled_claims_are_forgotten_and_others_are_not<S: IdempotencyStore + ClaimAdmin>(
    desk: &Desk<S>,
    advance: &impl AsyncFn(&S, Duration),
) {
    let old = desk.fresh(1).await;
    ok(desk.settle(1, old, "1").await);
    desk.fresh(2).await;
    advance(&desk.store, LEASE * 2).await;
    let young = desk.fresh(3).await;
    ok(desk.settle(3, young, "3").await);
    assert_eq!(ok(desk.store.forget_claims("t", LEASE).await), 1, "one was settled long enough ago");
    assert!(matches!(desk.claim(2).await, Claim::Unknown), "an unknown claim is never forgotten");
    desk.holds(3, "3").await;
    let again = desk.fresh(1).await;
    assert_ne!(again, old, "a forgotten call that comes again has a fence of its own");
    lost(desk.settle(1, old, "9").await);
}

pub(super) async fn what_runs_or_is_unknown_is_never_forgotten<S: IdempotencyStore + ClaimAdmin>(
    desk: &Desk<S>,
    advance: &impl AsyncFn(&S, Duration),
) {
    desk.fresh(1).await;
    let marked = desk.fresh(2).await;
    ok(desk.store.mark_unknown(&key("t", 2), marked, "panic").await);
    let by_hand = desk.fresh(3).await;
    ok(desk.store.mark_unknown(&key("t", 3), by_hand, "panic").await);
    let found = ok(desk.store.unknown_claims("t", None, 10).await);
    let found = found.iter().find(|claim| claim.key == key("t", 3)).expect("it was marked a moment ago");
    ok(desk.store.resolve(&found.handle(), &Resolution::Settle(value("3")), &operator()).await);
    advance(&desk.store, LEASE * 2).await;
    let running = desk.fresh(4).await;
    assert_eq!(ok(desk.store.forget_claims("t", Duration::ZERO).await), 1, "only what was settled, here by hand");
    assert_eq!(ok(desk.store.forget_claims("t", Duration::ZERO).await), 0, "a second time there is nothing");
    for n in [1, 2] {
        assert!(matches!(desk.claim(n).await, Claim::Unknown), "an unknown claim is never forgotten: {n}");
    }
    assert!(matches!(desk.claim(4).await, Claim::InFlight), "a running claim is never forgotten");
    ok(desk.settle(4, running, "4").await);
    ok(desk.settle(2, marked, "2").await);
    assert_eq!(ok(desk.store.audits("t", 10).await).len(), 1, "the record of what was resolved stays");
}
