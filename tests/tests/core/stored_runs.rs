//! Runs that are kept in a store: answered again, taken up, refused, and never ahead of what is saved.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use agent_core::arguments::Digest;
use agent_core::idempotency::{Fence, StoreError};
use agent_core::model::{Reply, ToolCall};
use agent_core::run::Run;
use agent_core::run_store::{MemoryRunStore, OpenRun, Opened, RunStore, StoredRun, prompt_digest};
use agent_core::testing::ScriptedModel;
use agent_core::{Agent, RunErrorKind, SecurityContext, ToolSchema, tools};
use serde::Deserialize;

use crate::world::{App, Shared, World, act, add, look, writer};

/// A store that every process of a test shares, and that fails when it is told to.
#[derive(Clone, Default)]
struct Runs {
    inner: Arc<MemoryRunStore>,
    /// Saves that succeed before all others fail.
    saves: Arc<AtomicU32>,
    failing: bool,
}

#[async_trait::async_trait]
impl RunStore for Runs {
    async fn load(&self, tenant: &str, run_id: &str) -> Result<StoredRun, StoreError> {
        self.inner.load(tenant, run_id).await
    }

    async fn open(&self, request: &OpenRun<'_>) -> Result<Opened, StoreError> {
        self.inner.open(request).await
    }

    async fn save(&self, run: &Run, fence: Fence, lease: Duration) -> Result<(), StoreError> {
        if self.failing
            && self.saves.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_err()
        {
            return Err(StoreError::failed("the disk is full"));
        }
        self.inner.save(run, fence, lease).await
    }

    async fn keep(&self, tenant: &str, run_id: &str, fence: Fence, lease: Duration) -> Result<(), StoreError> {
        self.inner.keep(tenant, run_id, fence, lease).await
    }

    async fn finish(&self, run: &Run, fence: Fence) -> Result<(), StoreError> {
        self.inner.finish(run, fence).await
    }

    async fn hand_over(&self, tenant: &str, run_id: &str, fence: Fence) -> Result<(), StoreError> {
        self.inner.hand_over(tenant, run_id, fence).await
    }

    async fn abandoned_runs(&self, tenant: &str, after: Option<&str>, most: u32) -> Result<Vec<String>, StoreError> {
        self.inner.abandoned_runs(tenant, after, most).await
    }

    async fn forget_runs(&self, tenant: &str, finished_for: Duration) -> Result<u64, StoreError> {
        self.inner.forget_runs(tenant, finished_for).await
    }
}

/// One process: its own agent and model, with the stores and the world of all.
struct Process {
    agent: Agent<App>,
    model: ScriptedModel,
}

fn process(replies: Vec<Reply>, runs: &Runs, claims: &Shared, world: &Arc<World>) -> Process {
    let model = ScriptedModel::new(replies);
    let agent = Agent::builder(model.clone())
        .tools(tools![look, act, add])
        .state(App { world: world.clone() })
        .store(claims.clone())
        .run_store(runs.clone())
        .build()
        .unwrap();
    Process { agent, model }
}

fn acts(id: &str, how: &str, n: u32) -> ToolCall {
    ToolCall::new(id, "act", format!(r#"{{"how":"{how}","n":{n}}}"#))
}

#[tokio::test]
async fn a_finished_id_gives_its_answer_back_without_a_model_call() {
    let (runs, claims, world) = (Runs::default(), Shared::default(), Arc::default());
    let first = process(vec![Reply::calls([acts("a", "ok", 1)]), Reply::text("Done.")], &runs, &claims, &world);
    first.agent.run("Go.").caller(writer()).id("order-1").await.unwrap();
    let second = process(vec![], &runs, &claims, &world);
    let answer = second.agent.run("Go.").caller(writer()).id("order-1").await.unwrap();
    assert_eq!(answer.text(), "Done.");
    assert_eq!(answer.record().steps.len(), 3);
    assert!(second.model.seen().is_empty());
    assert_eq!(world.effects(), 1);
}

#[derive(Deserialize, ToolSchema)]
struct Sum {
    /// The sum.
    sum: u32,
}

#[tokio::test]
async fn a_finished_id_gives_its_typed_answer_back_and_its_error_too() {
    let (runs, claims, world) = (Runs::default(), Shared::default(), Arc::default());
    let replies = vec![Reply::calls([ToolCall::new("f", "finish", r#"{"sum":7}"#)])];
    let first = process(replies, &runs, &claims, &world);
    first.agent.run("Sum.").id("s").answer::<Sum>().await.unwrap();
    let again = process(vec![], &runs, &claims, &world);
    assert_eq!(again.agent.run("Sum.").id("s").answer::<Sum>().await.unwrap().value().sum, 7);

    let failing = process(vec![Reply::calls([acts("a", "fatal", 1)])], &runs, &claims, &world);
    let first = failing.agent.run("Go.").caller(writer()).id("order-2").await.unwrap_err();
    let again = process(vec![], &runs, &claims, &world);
    let second = again.agent.run("Go.").caller(writer()).id("order-2").await.unwrap_err();
    assert_eq!(second.kind(), first.kind());
}

#[tokio::test]
async fn the_same_id_with_another_prompt_or_caller_is_refused() {
    let (runs, claims, world) = (Runs::default(), Shared::default(), Arc::default());
    let first = process(vec![Reply::text("Done.")], &runs, &claims, &world);
    first.agent.run("Go.").caller(writer()).id("order-1").await.unwrap();
    let stranger = SecurityContext::new("usr_2", "tenant_1");
    for (prompt, caller, says) in [("Stop.", writer(), "another prompt"), ("Go.", stranger, "another user")] {
        let error = first.agent.run(prompt).caller(caller).id("order-1").await.unwrap_err();
        assert!(matches!(error.kind(), RunErrorKind::Invalid { what } if what.contains(says)), "{error}");
    }
    let elsewhere = SecurityContext::new("usr_1", "tenant_2");
    let other = process(vec![Reply::text("Another.")], &runs, &claims, &world);
    assert_eq!(other.agent.run("Go.").caller(elsewhere).id("order-1").await.unwrap().text(), "Another.");
}

#[tokio::test(start_paused = true)]
async fn a_run_that_was_cut_off_is_taken_up_and_nothing_of_it_happens_twice() {
    let (runs, claims, world) = (Runs::default(), Shared::default(), Arc::default());
    let turn = Reply::calls([acts("a", "ok", 1), acts("b", "slow", 2), acts("c", "ok", 3)]);
    let first = process(vec![turn], &runs, &claims, &world);
    let running = first.agent.run("Go.").caller(writer()).id("order-1").into_future();
    assert!(tokio::time::timeout(Duration::from_millis(50), running).await.is_err(), "cut off in the second call");
    first.agent.drain(Duration::from_secs(5)).await;
    assert_eq!(world.effects(), 2);

    let second = process(vec![Reply::text("All three.")], &runs, &claims, &world);
    let owned = second.agent.run("Go.").caller(writer()).id("order-1").await.unwrap_err();
    assert!(matches!(owned.kind(), RunErrorKind::Invalid { what } if what.contains("elsewhere")), "{owned}");
    tokio::time::sleep(Duration::from_secs(31)).await;
    let answer = second.agent.run("Go.").caller(writer()).id("order-1").await.unwrap();
    assert_eq!(answer.text(), "All three.");
    assert_eq!((world.effects(), world.most_repeated()), (3, 1));
}

#[tokio::test]
async fn a_suspended_run_is_handed_over_and_taken_up_by_its_id() {
    let (runs, claims, world) = (Runs::default(), Shared::default(), Arc::default());
    let signing = |replies| {
        let model = ScriptedModel::new(replies);
        let builder = Agent::builder(model).tools(tools![crate::world::sign]).state(App { world: Arc::clone(&world) });
        builder.store(claims.clone()).run_store(runs.clone()).build().unwrap()
    };
    let call = ToolCall::new("a", "sign", r#"{"how":"ok"}"#);
    let error = signing(vec![Reply::calls([call])]).run("Sign.").caller(writer()).id("s").await.unwrap_err();
    let RunErrorKind::Suspended(run) = error.kind() else { panic!("{error:?}") };
    // Another process finds it waiting as well.
    let again = signing(vec![]).run("Sign.").caller(writer()).id("s").await.unwrap_err();
    assert!(matches!(again.kind(), RunErrorKind::Suspended(_)), "{again:?}");
    let decision = run.pending()[0].approve("boss");
    let resumed = signing(vec![Reply::text("Signed.")]).resume(Run::clone(run)).caller(writer()).decide(decision).await;
    assert_eq!(resumed.unwrap().text(), "Signed.");
    let last = signing(vec![]).run("Sign.").caller(writer()).id("s").await.unwrap();
    assert_eq!((last.text(), world.effects()), ("Signed.", 1));
}

#[tokio::test]
async fn a_reply_that_cannot_be_saved_starts_nothing_and_the_run_goes_on_later() {
    for saves in 0..3 {
        let (claims, world) = (Shared::default(), Arc::default());
        let runs = Runs { saves: Arc::new(AtomicU32::new(saves)), failing: true, ..Runs::default() };
        let first = process(vec![Reply::calls([acts("a", "ok", 1)]), Reply::text("Done.")], &runs, &claims, &world);
        let error = first.agent.run("Go.").caller(writer()).id("r").await.unwrap_err();
        assert!(
            matches!(error.kind(), RunErrorKind::NotSaved { what } if what.contains("the disk is full")),
            "{error:?}"
        );
        assert_eq!(world.effects(), 0, "{saves} saves: the reply was not saved, so nothing of it ran");
    }
}

#[tokio::test(start_paused = true)]
async fn a_run_is_owned_for_as_long_as_its_model_thinks() {
    let (runs, claims, world) = (Runs::default(), Shared::default(), Arc::default());
    struct Thinks;
    #[async_trait::async_trait]
    impl agent_core::model::Model for Thinks {
        fn profiles(&self) -> &[&'static agent_core::schema::Profile] {
            &[&agent_core::profile::OPENAI]
        }
        fn name(&self) -> &str {
            "thinks"
        }
        async fn reply(&self, _: agent_core::model::Request<'_>) -> Result<Reply, agent_core::model::ModelError> {
            tokio::time::sleep(Duration::from_secs(300)).await;
            Ok(Reply::text("Well."))
        }
    }
    let limits = agent_core::Limits::default().timeout(Duration::from_secs(600));
    let slow = Agent::builder(Thinks).run_store(runs.clone()).limits(limits).build().unwrap();
    let running = tokio::spawn(slow.run("Go.").caller(writer()).id("r").into_future());
    tokio::time::sleep(Duration::from_secs(200)).await;
    let second = process(vec![], &runs, &claims, &world);
    assert!(second.agent.run("Go.").caller(writer()).id("r").await.is_err(), "it is still the first one's");
    assert_eq!(running.await.unwrap().unwrap().text(), "Well.");
}

#[tokio::test]
async fn the_prompt_digest_tells_requests_apart_by_history_too() {
    let digest = |history: Vec<agent_core::model::Message>| -> Digest {
        let mut start = agent_core::run::RunStart::new("r", "Go.");
        start.history = history;
        prompt_digest(&Run::new(start)).unwrap()
    };
    assert_ne!(digest(vec![]), digest(vec![agent_core::model::Message::assistant("Hi.")]));
}
