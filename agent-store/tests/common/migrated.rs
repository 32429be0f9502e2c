//! What an older database held, read back from the store that it became.

use agent_core::idempotency::{Claim, ClaimAdmin, Fence, IdempotencyStore, Resolution, Settled};
use agent_core::run_store::{OpenRun, Opened, RunStore, StoredRun, prompt_digest};

use super::{claim, run};

/// Reads back one row of each kind, as the tests of each store fill them in; gives the fences of the unknown claims, in
/// order, and that of the run which is taken up.
pub(crate) async fn holds_what_was_filled_in<S>(store: &S) -> (Vec<Fence>, Fence)
where
    S: IdempotencyStore + ClaimAdmin + RunStore,
{
    assert!(matches!(claim(store, 1).await, Ok(Claim::Settled(Settled::Value(json))) if json.get() == "\"done\""));
    assert!(matches!(claim(store, 3).await, Ok(Claim::Unknown)), "it ran, and its process is gone");
    assert!(matches!(claim(store, 4).await, Ok(Claim::Unknown)));
    assert!(matches!(claim(store, 5).await, Ok(Claim::Settled(Settled::Unreadable))));
    let mut unknown = store.unknown_claims("t", None, 9).await.unwrap();
    unknown.sort_by_key(|claim| claim.fence);
    let causes: Vec<_> = unknown.iter().map(|claim| claim.cause.as_deref()).collect();
    assert_eq!(causes, [None, Some("panic")]);
    let audits = store.audits("t", 9).await.unwrap();
    assert!(matches!(&audits[0].resolution, Resolution::Release));
    assert!(matches!(&audits[1].resolution, Resolution::Settle(Settled::Value(json)) if json.get() == "7"));
    assert!(audits.iter().all(|audit| audit.operator.who() == "ada" && audit.claim.tool == "tool"));
    assert!(matches!(store.load("t", "done").await, Ok(StoredRun::Finished(kept)) if *kept == run("done")));
    let unfinished = run("cut off");
    let prompt = prompt_digest(&unfinished).unwrap();
    match store.open(&OpenRun::new(&unfinished, &prompt)).await {
        Ok(Opened::TakenUp { run, fence }) if *run == unfinished => {
            (unknown.iter().map(|claim| claim.fence).collect(), fence)
        }
        other => panic!("expected the run that was cut off, got {other:?}"),
    }
}
