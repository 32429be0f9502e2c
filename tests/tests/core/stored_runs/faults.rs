//! A store of runs that hangs, is busy or panics costs no more than it must.

use std::sync::Arc;
use std::time::Duration;

use agent_core::idempotency::{Fence, StoreError};
use agent_core::model::{Reply, ToolCall};
use agent_core::run::Run;
use agent_core::run_store::{OpenRun, Opened, RunStore, StoredRun};
use agent_core::testing::ScriptedModel;
use agent_core::{Agent, RunErrorKind, tools};

use super::{Runs, acts, process};
use crate::world::{App, Shared, act, add, look, writer};

#[tokio::test]
async fn a_store_of_runs_that_panics_fails_the_run_and_nothing_else() {
    crate::world::hush_expected_panics();
    struct Broken;
    #[async_trait::async_trait]
    impl RunStore for Broken {
        async fn load(&self, _: &str, _: &str) -> Result<StoredRun, StoreError> {
            panic!("secret-panic")
        }
        async fn open(&self, _: &OpenRun<'_>) -> Result<Opened, StoreError> {
            panic!("secret-panic")
        }
        async fn save(&self, _: &Run, _: Fence, _: Duration) -> Result<(), StoreError> {
            panic!("secret-panic")
        }
        async fn keep(&self, _: &str, _: &str, _: Fence, _: Duration) -> Result<(), StoreError> {
            panic!("secret-panic")
        }
        async fn finish(&self, _: &Run, _: Fence) -> Result<(), StoreError> {
            panic!("secret-panic")
        }
        async fn hand_over(&self, _: &str, _: &str, _: Fence) -> Result<(), StoreError> {
            panic!("secret-panic")
        }
        async fn abandoned_runs(&self, _: &str, _: Option<&str>, _: u32) -> Result<Vec<String>, StoreError> {
            panic!("secret-panic")
        }
        async fn forget_runs(&self, _: &str, _: Duration) -> Result<u64, StoreError> {
            panic!("secret-panic")
        }
    }
    let agent = Agent::builder(ScriptedModel::new([])).run_store(Broken).build().unwrap();
    let error = agent.run("Go.").await.unwrap_err();
    assert!(matches!(error.kind(), RunErrorKind::NotSaved { what } if what.contains("panicked")), "{error:?}");
}

/// A run that looks, acts and asks for a signature, with a store that hangs at one of its calls.
fn hanging(what: &'static str, after: u32) -> Agent<App> {
    let calls = [
        ToolCall::new("l", "look", r#"{"how":"slow"}"#),
        ToolCall::new("k", "look", r#"{"how":"ok"}"#),
        acts("a", "ok", 1),
    ];
    let signs = [ToolCall::new("s", "sign", r#"{"how":"ok"}"#)];
    let replies = match what {
        "hand_over" => vec![Reply::calls(signs)],
        _ => vec![Reply::calls(calls), Reply::text("Done.")],
    };
    let builder = Agent::builder(ScriptedModel::new(replies)).tools(tools![look, act, add, crate::world::sign]);
    let builder = builder.state(App::default()).store(Shared::default());
    builder.run_store(Runs::hanging(what, after)).build().unwrap()
}

#[tokio::test(start_paused = true)]
async fn a_store_of_runs_that_never_answers_ends_the_run_with_its_time_or_with_the_time_to_record_an_end() {
    let (timeout, grace) = (Duration::from_secs(20), Duration::from_secs(7));
    let limits = || agent_core::Limits::default().timeout(timeout).grace(grace);
    let saves = (0..7).map(|after| ("save", after, Err("timeout"), timeout));
    let rows = [("open", 0, Err("timeout"), timeout), ("finish", 0, Ok("Done."), grace + Duration::from_millis(100))];
    for (what, after, expected, took) in saves.chain(rows).chain([("hand_over", 0, Err("not_saved"), grace)]) {
        let agent = hanging(what, after);
        let began = tokio::time::Instant::now();
        let run = agent.run("Go.").caller(writer()).limits(limits()).into_future();
        let ended = tokio::time::timeout(Duration::from_secs(600), run).await.expect("the run ends");
        let seen = ended.as_ref().map(agent_core::Answer::text).map_err(|error| error.kind().as_str());
        assert_eq!(seen, expected, "{what} hangs after {after}");
        assert_eq!(began.elapsed(), took, "{what} hangs after {after}");
        assert!(agent.state().world.effects() <= 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_cancel_is_seen_while_a_store_of_runs_does_not_answer() {
    for (what, after) in [("open", 0), ("save", 0), ("save", 1), ("save", 3)] {
        let agent = hanging(what, after);
        let cancel = agent_core::Cancellation::new();
        let ends = cancel.clone();
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_secs(1)).await;
            ends.cancel("enough");
        });
        let began = tokio::time::Instant::now();
        let error = agent.run("Go.").caller(writer()).cancel(cancel).await.unwrap_err();
        assert_eq!(error.kind(), &RunErrorKind::Cancelled { reason: "enough".to_owned() }, "{what} {after}");
        assert_eq!(began.elapsed(), Duration::from_secs(1), "{what} {after}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_handed_in_comes_back_when_its_store_does_not_answer() {
    let error = hanging("hand_over", 1).run("Go.").caller(writer()).id("s").await.unwrap_err();
    let RunErrorKind::Suspended(run) = error.into_kind() else { panic!("it waits for a person") };
    let error = hanging("open", 0).resume(*run).caller(writer()).await.unwrap_err();
    let RunErrorKind::NotResumed { what, run } = error.kind() else { panic!("{error:?}") };
    assert!(what.contains("within 30s"), "{what}");
    assert_eq!(run.pending().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_save_that_takes_long_holds_no_call_beside_it_back() {
    // The store hangs at the first of two results; the second call has ended long before the run's time is over.
    let agent = hanging("save", 3);
    let error = agent.run("Go.").caller(writer()).await.unwrap_err();
    let latencies = error.record().steps.iter().filter_map(|step| match step {
        agent_core::run::StepRecord::Tool(tool) => Some((tool.call_id.as_str(), tool.code.clone(), tool.latency)),
        _ => None,
    });
    let latencies: Vec<_> = latencies.collect();
    assert_eq!(latencies[0], ("k", None, Duration::ZERO));
    assert_eq!(latencies[1], ("a", Some("NOT_RUN".to_owned()), Duration::ZERO));
    assert_eq!(latencies[2], ("l", None, Duration::from_millis(100)));
}

#[tokio::test(start_paused = true)]
async fn a_store_of_runs_that_is_busy_for_a_while_costs_no_run() {
    for what in ["save", "finish"] {
        let runs = Runs::busy(what, 7);
        let (claims, world) = (Shared::default(), Arc::default());
        let first = process(vec![Reply::calls([acts("a", "ok", 1)]), Reply::text("Done.")], &runs, &claims, &world);
        let answer = first.agent.run("Go.").caller(writer()).id("r").await.unwrap();
        assert_eq!(answer.text(), "Done.", "{what}");
        let stored = runs.load("tenant_1", "r").await.unwrap();
        assert!(matches!(stored, StoredRun::Finished(_)), "{what}: {stored:?}");
        assert_eq!(world.effects(), 1);
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_that_waits_for_people_or_is_left_open_is_handed_over_though_its_store_was_busy() {
    let runs = Runs::busy("hand_over", 7);
    let (claims, world) = (Shared::default(), Arc::default());
    let first = process(vec![Reply::calls([acts("a", "fatal", 1)])], &runs, &claims, &world);
    let error = first.agent.run("Go.").caller(writer()).id("r").await.unwrap_err();
    assert_eq!(error.kind().as_str(), "outcome_unknown");
    assert_eq!(runs.abandoned_runs("tenant_1", None, 9).await.unwrap(), ["r"], "nobody owns it");
}

#[tokio::test(start_paused = true)]
async fn a_store_of_runs_that_stays_busy_ends_the_run_before_its_time_is_over() {
    let runs = Runs::busy("save", u32::MAX);
    let (claims, world) = (Shared::default(), Arc::default());
    let first = process(vec![Reply::calls([acts("a", "ok", 1)])], &runs, &claims, &world);
    let began = tokio::time::Instant::now();
    let error = first.agent.run("Go.").caller(writer()).id("r").await.unwrap_err();
    assert_eq!(error.kind().as_str(), "not_saved", "{error}");
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
    assert_eq!(world.effects(), 0);
}
