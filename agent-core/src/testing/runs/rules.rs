//! What holds for the owner of a run, and for those who would like to own it.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use crate::agent::Limits;
use crate::idempotency::{Fence, StoreError};
use crate::model::Reply;
use crate::run::{Input, Plan, Run, RunStart};
use crate::run_store::{Mismatch, OpenRun, Opened, RunStore, StoredRun, prompt_digest};

const LEASE: Duration = Duration::from_secs(30);

/// As many as ask at once.
const MANY: usize = 16;

#[track_caller]
fn ok<T>(answer: Result<T, StoreError>) -> T {
    answer.unwrap_or_else(|error| panic!("the store failed where it should not: {error:?}"))
}

#[track_caller]
fn lost<T: Debug>(answer: Result<T, StoreError>) {
    assert!(matches!(answer, Err(StoreError::LostFence)), "expected a lost fence, got {answer:?}");
}

/// A run that has not begun.
fn run(tenant: &str, user: &str, id: &str, prompt: &str) -> Run {
    let mut start = RunStart::new(id, prompt);
    (start.tenant, start.user) = (tenant.to_owned(), user.to_owned());
    Run::new(start)
}

fn mine(id: &str) -> Run {
    run("t", "usr-1", id, "Book it.")
}

/// The same run, one step on.
fn begun(run: &Run) -> Run {
    let mut run = run.clone();
    run.apply(&Plan::new(vec![], Limits::default()), Input::Clock(Duration::from_millis(1)), &mut ());
    run
}

/// The same run, at its end.
fn ended(run: &Run) -> Run {
    let mut run = run.clone();
    let reply = Box::new(Reply::text("Booked: 'ä' \u{1F600}."));
    run.apply(&Plan::new(vec![], Limits::default()), Input::Reply(reply, Duration::ZERO), &mut ());
    assert!(run.outcome().is_some(), "the suite's own run has ended");
    run
}

async fn open<S: RunStore>(store: &S, run: &Run) -> Opened {
    let prompt = prompt_digest(run).expect("the suite's own prompts can be written");
    ok(store.open(&OpenRun::new(run, &prompt).lease(LEASE)).await)
}

async fn begin<S: RunStore>(store: &S, run: &Run) -> Fence {
    match open(store, run).await {
        Opened::New(fence) => fence,
        other => panic!("expected a new run, got {other:?}"),
    }
}

async fn take_up<S: RunStore>(store: &S, run: &Run) -> (Run, Fence) {
    match open(store, run).await {
        Opened::TakenUp { run, fence } => (*run, fence),
        other => panic!("expected a run to be taken up, got {other:?}"),
    }
}

async fn unfinished<S: RunStore>(store: &S, id: &str) -> Run {
    match ok(store.load("t", id).await) {
        StoredRun::Unfinished(run) => *run,
        other => panic!("expected an unfinished run, got {other:?}"),
    }
}

pub(super) async fn a_new_run_is_stored_as_it_begins<S: RunStore>(store: &Arc<S>, _: &impl AsyncFn(&S, Duration)) {
    assert!(matches!(ok(store.load("t", "r").await), StoredRun::None), "nothing is stored yet");
    let new = mine("r");
    let fence = begin(&**store, &new).await;
    assert_eq!(unfinished(&**store, "r").await, new, "as it begins");
    let next = begun(&new);
    ok(store.save(&next, fence, LEASE).await);
    assert_eq!(unfinished(&**store, "r").await, next, "as it was saved");
}

pub(super) async fn a_run_at_work_belongs_to_one<S: RunStore>(store: &Arc<S>, advance: &impl AsyncFn(&S, Duration)) {
    begin(&**store, &mine("r")).await;
    advance(store, LEASE / 2).await;
    assert!(matches!(open(&**store, &mine("r")).await, Opened::Owned), "its owner is at work");
}

pub(super) async fn a_run_that_was_cut_off_is_taken_up_where_it_was_saved<S: RunStore>(
    store: &Arc<S>,
    advance: &impl AsyncFn(&S, Duration),
) {
    let new = mine("r");
    let first = begin(&**store, &new).await;
    let saved = begun(&new);
    ok(store.save(&saved, first, LEASE).await);
    advance(store, LEASE * 2).await;
    let (found, second) = take_up(&**store, &new).await;
    assert_eq!(found, saved, "where it was saved");
    assert_ne!(first, second, "its new owner has a fence of its own");
    assert!(matches!(open(&**store, &new).await, Opened::Owned), "and a lease of its own");
    ok(store.finish(&ended(&found), second).await);
}

pub(super) async fn a_finished_run_is_given_back_and_never_changes<S: RunStore>(
    store: &Arc<S>,
    advance: &impl AsyncFn(&S, Duration),
) {
    let new = mine("r");
    let fence = begin(&**store, &new).await;
    let end = ended(&new);
    ok(store.finish(&end, fence).await);
    ok(store.finish(&end, fence).await);
    lost(store.finish(&begun(&new), fence).await);
    lost(store.save(&begun(&new), fence, LEASE).await);
    lost(store.keep("t", "r", fence, LEASE).await);
    lost(store.hand_over("t", "r", fence).await);
    advance(store, LEASE * 2).await;
    for _ in 0..2 {
        let again = open(&**store, &new).await;
        assert!(matches!(&again, Opened::Finished(run) if **run == end), "the end again, not {again:?}");
    }
    assert!(matches!(ok(store.load("t", "r").await), StoredRun::Finished(run) if *run == end), "the end, by a look");
}

pub(super) async fn the_same_id_with_another_request_is_refused<S: RunStore>(
    store: &Arc<S>,
    advance: &impl AsyncFn(&S, Duration),
) {
    let new = mine("r");
    let others = [
        (run("t", "usr-2", "r", "Book it."), Mismatch::Caller),
        (run("t", "usr-1", "r", "Cancel it."), Mismatch::Prompt),
    ];
    let refused = async || {
        for (other, why) in &others {
            let answer = open(&**store, other).await;
            assert!(matches!(answer, Opened::Mismatch(found) if found == *why), "expected {why:?}, got {answer:?}");
        }
    };
    begin(&**store, &new).await;
    refused().await;
    advance(store, LEASE * 2).await;
    refused().await;
    let (found, fence) = take_up(&**store, &new).await;
    ok(store.finish(&ended(&found), fence).await);
    refused().await;
}

pub(super) async fn a_lost_fence_changes_nothing<S: RunStore>(store: &Arc<S>, advance: &impl AsyncFn(&S, Duration)) {
    let new = mine("r");
    let old = begin(&**store, &new).await;
    advance(store, LEASE * 2).await;
    ok(store.save(&new, old, LEASE).await);
    assert!(matches!(open(&**store, &new).await, Opened::Owned), "a late owner keeps it while nobody took it up");
    advance(store, LEASE * 2).await;
    let (_, fence) = take_up(&**store, &new).await;
    for wrong in [old, Fence(fence.0 + 1), Fence(u64::MAX)] {
        lost(store.save(&begun(&new), wrong, LEASE * 100).await);
        lost(store.keep("t", "r", wrong, LEASE * 100).await);
        lost(store.finish(&ended(&new), wrong).await);
        lost(store.hand_over("t", "r", wrong).await);
    }
    assert_eq!(unfinished(&**store, "r").await, new, "what the former owner wrote too late is not there");
    assert!(matches!(open(&**store, &new).await, Opened::Owned), "it was not handed over");
    advance(store, LEASE * 2).await;
    take_up(&**store, &new).await;
    lost(store.keep("t", "nowhere", fence, LEASE).await);
}

pub(super) async fn a_run_that_is_kept_or_saved_is_owned_longer<S: RunStore>(
    store: &Arc<S>,
    advance: &impl AsyncFn(&S, Duration),
) {
    let new = mine("r");
    let fence = begin(&**store, &new).await;
    advance(store, LEASE / 2).await;
    ok(store.keep("t", "r", fence, LEASE).await);
    advance(store, LEASE / 2).await;
    ok(store.save(&begun(&new), fence, LEASE).await);
    advance(store, LEASE / 2).await;
    assert!(matches!(open(&**store, &new).await, Opened::Owned), "its owner is at work");
    advance(store, LEASE).await;
    take_up(&**store, &new).await;
}

pub(super) async fn a_run_that_is_handed_over_is_taken_up_at_once<S: RunStore>(
    store: &Arc<S>,
    _: &impl AsyncFn(&S, Duration),
) {
    let new = mine("r");
    let fence = begin(&**store, &new).await;
    ok(store.save(&begun(&new), fence, LEASE).await);
    ok(store.hand_over("t", "r", fence).await);
    let (found, _) = take_up(&**store, &new).await;
    assert_eq!(found, begun(&new), "where it was saved");
    lost(store.save(&new, fence, LEASE).await);
}

pub(super) async fn a_run_that_is_handed_over_is_no_longer_its_owners<S: RunStore>(
    store: &Arc<S>,
    advance: &impl AsyncFn(&S, Duration),
) {
    let new = mine("r");
    let fence = begin(&**store, &new).await;
    ok(store.hand_over("t", "r", fence).await);
    ok(store.hand_over("t", "r", fence).await);
    // As when they were dropped before, and come late.
    lost(store.keep("t", "r", fence, LEASE).await);
    lost(store.save(&begun(&new), fence, LEASE).await);
    lost(store.finish(&ended(&new), fence).await);
    assert_eq!(unfinished(&**store, "r").await, new, "nothing was written after it was handed over");
    assert_eq!(ok(store.abandoned_runs("t", None, 10).await), ["r"], "nobody owns it");
    let (_, second) = take_up(&**store, &new).await;
    lost(store.hand_over("t", "r", fence).await);
    ok(store.keep("t", "r", second, LEASE).await);
    ok(store.hand_over("t", "r", second).await);
    advance(store, LEASE * 2).await;
    lost(store.keep("t", "r", second, LEASE).await);
    take_up(&**store, &new).await;
}

pub(super) async fn one_of_many_takes_a_run_up<S: RunStore + 'static>(
    store: &Arc<S>,
    advance: &impl AsyncFn(&S, Duration),
) {
    for _ in 0..2 {
        let asked = (0..MANY).map(|_| {
            let store = store.clone();
            tokio::spawn(async move { open(&*store, &mine("r")).await })
        });
        let mut owners = 0;
        for task in asked.collect::<Vec<_>>() {
            match task.await {
                Ok(Opened::New(_) | Opened::TakenUp { .. }) => owners += 1,
                Ok(Opened::Owned) => {}
                other => panic!("one of many was answered {other:?}"),
            }
        }
        assert_eq!(owners, 1, "of many at once, one owns the run");
        advance(store, LEASE * 2).await;
    }
}

pub(super) async fn tenants_do_not_meet<S: RunStore>(store: &Arc<S>, _: &impl AsyncFn(&S, Duration)) {
    let new = mine("r");
    let fence = begin(&**store, &new).await;
    let theirs = run("u", "usr-1", "r", "Book it.");
    assert!(matches!(ok(store.load("u", "r").await), StoredRun::None), "another tenant sees nothing");
    lost(store.save(&begun(&theirs), fence, LEASE).await);
    lost(store.finish(&ended(&theirs), fence).await);
    lost(store.keep("u", "r", fence, LEASE).await);
    lost(store.hand_over("u", "r", fence).await);
    let other = begin(&**store, &theirs).await;
    ok(store.finish(&ended(&theirs), other).await);
    assert_eq!(ok(store.forget_runs("t", Duration::ZERO).await), 0, "nothing of the tenant's own has finished");
    assert_eq!(unfinished(&**store, "r").await, new, "another tenant's run changed this one");
}

pub(super) async fn abandoned_runs_are_listed<S: RunStore>(store: &Arc<S>, advance: &impl AsyncFn(&S, Duration)) {
    let done = begin(&**store, &mine("a")).await;
    ok(store.finish(&ended(&mine("a")), done).await);
    begin(&**store, &run("u", "usr-1", "b", "Book it.")).await;
    for id in ["c", "d", "e"] {
        begin(&**store, &mine(id)).await;
    }
    assert!(ok(store.abandoned_runs("t", None, 10).await).is_empty(), "their owners are at work");
    advance(store, LEASE * 2).await;
    begin(&**store, &mine("f")).await;
    assert_eq!(ok(store.abandoned_runs("t", None, 10).await), ["c", "d", "e"]);
    assert_eq!(ok(store.abandoned_runs("t", Some("c"), 1).await), ["d"]);
}

pub(super) async fn finished_runs_are_forgotten_and_others_are_not<S: RunStore>(
    store: &Arc<S>,
    advance: &impl AsyncFn(&S, Duration),
) {
    let old = begin(&**store, &mine("old")).await;
    ok(store.finish(&ended(&mine("old")), old).await);
    begin(&**store, &mine("open")).await;
    advance(store, LEASE * 2).await;
    let young = begin(&**store, &mine("young")).await;
    ok(store.finish(&ended(&mine("young")), young).await);
    assert_eq!(ok(store.forget_runs("t", LEASE).await), 1, "one finished long enough ago");
    assert!(matches!(ok(store.load("t", "old").await), StoredRun::None), "it is forgotten");
    assert!(matches!(ok(store.load("t", "young").await), StoredRun::Finished(_)), "this one is too young");
    unfinished(&**store, "open").await;
}

pub(super) async fn an_unfinished_run_is_never_forgotten<S: RunStore>(
    store: &Arc<S>,
    advance: &impl AsyncFn(&S, Duration),
) {
    begin(&**store, &mine("abandoned")).await;
    let waiting = begin(&**store, &mine("waiting")).await;
    ok(store.hand_over("t", "waiting", waiting).await);
    advance(store, LEASE * 2).await;
    begin(&**store, &mine("at work")).await;
    assert_eq!(ok(store.forget_runs("t", Duration::ZERO).await), 0, "none of them has finished");
    for id in ["abandoned", "waiting", "at work"] {
        unfinished(&**store, id).await;
    }
}

pub(super) async fn fences_rise<S: RunStore>(store: &Arc<S>, advance: &impl AsyncFn(&S, Duration)) {
    let first = begin(&**store, &mine("r")).await;
    advance(store, LEASE * 2).await;
    let (run, second) = take_up(&**store, &mine("r")).await;
    assert!(second > first, "a run that is taken up has a higher fence: {second:?} and {first:?}");
    ok(store.finish(&ended(&run), second).await);
    ok(store.forget_runs("t", Duration::ZERO).await);
    let third = begin(&**store, &mine("r")).await;
    assert!(third > second, "a run whose id was forgotten has a higher fence: {third:?} and {second:?}");
}
