//! Runs that are kept in a store: answered again, taken up, refused, and never ahead of what is saved.

mod faults;
mod left_open;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use agent_core::arguments::Digest;
use agent_core::idempotency::{Cause, Fence, StoreError};
use agent_core::model::{Reply, ToolCall};
use agent_core::run::Run;
use agent_core::run_store::{MemoryRunStore, OpenRun, Opened, RunStore, StoredRun, prompt_digest};
use agent_core::testing::ScriptedModel;
use agent_core::{Agent, RunError, RunErrorKind, SecurityContext, ToolSchema, tools};
use serde::Deserialize;

use crate::world::{App, Shared, World, act, add, look, writer};

/// A store that every process of a test shares, and that fails when it is told to.
#[derive(Clone, Default)]
struct Runs {
    inner: Arc<MemoryRunStore>,
    /// Saves that succeed before all others fail.
    saves: Arc<AtomicU32>,
    failing: bool,
    /// Whether no run can be opened.
    closed: bool,
    /// Answers that are that the store is busy, by what was asked for, before others come.
    busy: Arc<std::sync::Mutex<std::collections::BTreeMap<&'static str, u32>>>,
    /// Renewals that never answer, before others do.
    hanging_renewals: Arc<AtomicU32>,
    /// What never answers, after so many times that it has.
    hangs: Option<(&'static str, Arc<AtomicU32>)>,
}

impl Runs {
    fn hanging(what: &'static str, after: u32) -> Self {
        Self { hangs: Some((what, Arc::new(AtomicU32::new(after)))), ..Self::default() }
    }

    fn busy(what: &'static str, times: u32) -> Self {
        let runs = Self::default();
        runs.busy.lock().unwrap().insert(what, times);
        runs
    }

    fn is_busy(&self, what: &str) -> Result<(), StoreError> {
        match self.busy.lock().unwrap().get_mut(what) {
            Some(times @ 1..) => {
                *times -= 1;
                Err(StoreError::Busy(Cause::new("somebody else writes")))
            }
            _ => Ok(()),
        }
    }

    async fn hang(&self, what: &str) {
        let Some((hanging, left)) = &self.hangs else { return };
        let left = || left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1));
        if *hanging == what && left().is_err() {
            std::future::pending::<()>().await;
        }
    }
}

#[async_trait::async_trait]
impl RunStore for Runs {
    async fn load(&self, tenant: &str, run_id: &str) -> Result<StoredRun, StoreError> {
        self.inner.load(tenant, run_id).await
    }

    async fn open(&self, request: &OpenRun<'_>) -> Result<Opened, StoreError> {
        if self.closed {
            return Err(StoreError::failed("the file is damaged"));
        }
        self.hang("open").await;
        self.inner.open(request).await
    }

    async fn save(&self, run: &Run, fence: Fence, lease: Duration) -> Result<(), StoreError> {
        self.hang("save").await;
        self.is_busy("save")?;
        if self.failing
            && self.saves.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_err()
        {
            return Err(StoreError::failed("the disk is full"));
        }
        self.inner.save(run, fence, lease).await
    }

    async fn keep(&self, tenant: &str, run_id: &str, fence: Fence, lease: Duration) -> Result<(), StoreError> {
        let hangs = |left: u32| left.checked_sub(1);
        if self.hanging_renewals.fetch_update(Ordering::SeqCst, Ordering::SeqCst, hangs).is_ok() {
            std::future::pending::<()>().await;
        }
        self.inner.keep(tenant, run_id, fence, lease).await
    }

    async fn finish(&self, run: &Run, fence: Fence) -> Result<(), StoreError> {
        self.hang("finish").await;
        self.is_busy("finish")?;
        self.inner.finish(run, fence).await
    }

    async fn hand_over(&self, tenant: &str, run_id: &str, fence: Fence) -> Result<(), StoreError> {
        self.hang("hand_over").await;
        self.is_busy("hand_over")?;
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
async fn a_finished_id_gives_its_typed_answer_back_and_an_unknown_outcome_stays_unknown() {
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
    assert!(matches!(owned.kind(), RunErrorKind::Owned { run_id } if run_id == "order-1"), "{owned}");
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

#[tokio::test(start_paused = true)]
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
        assert_eq!(claims.claimed(), 0, "{saves} saves: and nothing of it was claimed");

        // The disk has room again, and whoever had the run no longer has it.
        tokio::time::sleep(Duration::from_secs(31)).await;
        let mended = Runs { failing: false, ..runs };
        let rest = match saves {
            // The reply of the first turn was never kept.
            0 | 1 => vec![Reply::calls([acts("b", "ok", 1)]), Reply::text("Done.")],
            _ => vec![Reply::text("Done.")],
        };
        let second = process(rest, &mended, &claims, &world);
        assert_eq!(second.agent.run("Go.").caller(writer()).id("r").await.unwrap().text(), "Done.");
        assert_eq!((world.effects(), claims.claimed()), (1, 1), "{saves} saves");
        assert_eq!(second.model.finish(), Ok(()), "{saves} saves");
    }
}

#[tokio::test]
async fn a_run_that_cannot_be_opened_in_its_store_does_not_begin() {
    let (claims, world) = (Shared::default(), Arc::default());
    let runs = Runs { closed: true, ..Runs::default() };
    let process = process(vec![Reply::calls([acts("a", "ok", 1)])], &runs, &claims, &world);
    let error = process.agent.run("Go.").caller(writer()).id("r").await.unwrap_err();
    assert!(matches!(error.kind(), RunErrorKind::NotSaved { what } if what.contains("damaged")), "{error:?}");
    assert!(process.model.seen().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_run_is_owned_for_as_long_as_its_model_thinks() {
    thinks_while_renewals_hang(0).await;
}

#[tokio::test(start_paused = true)]
async fn a_run_is_still_its_owners_after_two_renewals_that_hang() {
    thinks_while_renewals_hang(2).await;
}

async fn thinks_while_renewals_hang(times: u32) {
    let (runs, claims, world) = (Runs::default(), Shared::default(), Arc::default());
    runs.hanging_renewals.store(times, Ordering::SeqCst);
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
    let second = process(vec![], &runs, &claims, &world);
    for seconds in [31, 169] {
        tokio::time::sleep(Duration::from_secs(seconds)).await;
        let owned = second.agent.run("Go.").caller(writer()).id("r").await.unwrap_err();
        assert!(matches!(owned.kind(), RunErrorKind::Owned { .. }), "it is still the first one's: {owned}");
    }
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

fn signing(replies: Vec<Reply>, runs: &Runs, claims: &Shared, world: &Arc<World>) -> Agent<App> {
    let model = ScriptedModel::new(replies);
    let builder = Agent::builder(model).tools(tools![crate::world::sign]).state(App { world: Arc::clone(world) });
    builder.store(claims.clone()).run_store(runs.clone()).build().unwrap()
}

fn signs(id: &str, n: u32) -> Reply {
    Reply::calls([ToolCall::new(id, "sign", format!(r#"{{"how":"ok","n":{n}}}"#))])
}

fn suspended(error: &RunError) -> Run {
    match error.kind() {
        RunErrorKind::Suspended(run) => serde_json::from_str(&serde_json::to_string(run).unwrap()).unwrap(),
        other => panic!("expected a suspended run, got {other:?}"),
    }
}

#[tokio::test]
async fn an_old_copy_of_a_run_is_refused_and_nothing_of_it_happens_twice() {
    let (runs, claims, world) = (Runs::default(), Shared::default(), Arc::default());
    let agent = |replies| signing(replies, &runs, &claims, &world);
    let old = suspended(&agent(vec![signs("a", 1)]).run("Sign.").caller(writer()).id("s").await.unwrap_err());
    let decision = old.pending()[0].edit("boss", r#"{"how":"ok","n":2}"#);
    let resumed = agent(vec![signs("b", 3)]).resume(old.clone()).caller(writer()).decide(decision).await.unwrap_err();
    let newer = suspended(&resumed);
    assert_eq!(world.effects(), 1);

    let again = old.pending()[0].edit("boss", r#"{"how":"ok","n":4}"#);
    let error = agent(vec![]).resume(old.clone()).caller(writer()).decide(again).await.unwrap_err();
    let RunErrorKind::NotResumed { what, run } = error.kind() else { panic!("{error:?}") };
    assert!(what.contains("an old copy"), "{what}");
    assert_eq!((&**run, world.effects()), (&old, 1), "nothing is lost, and nothing happened");

    let decision = newer.pending()[0].approve("boss");
    let answer = agent(vec![Reply::text("Signed.")]).resume(newer).caller(writer()).decide(decision).await.unwrap();
    assert_eq!((answer.text(), world.effects()), ("Signed.", 2), "the newer copy goes on, at once");
}

#[tokio::test]
async fn a_resume_that_does_not_fit_keeps_nobody_from_the_run_and_gives_it_back() {
    let (runs, claims, world) = (Runs::default(), Shared::default(), Arc::default());
    let agent = |replies| signing(replies, &runs, &claims, &world);
    let run = suspended(&agent(vec![signs("a", 1)]).run("Sign.").caller(writer()).id("s").await.unwrap_err());
    let other = suspended(&agent(vec![signs("a", 1)]).run("Sign.").caller(writer()).id("t").await.unwrap_err());
    let stranger = SecurityContext::new("usr_2", "tenant_1").role("world:write");
    let more_tools = process(vec![], &runs, &claims, &world).agent;
    for resumed in [
        agent(vec![]).resume(run.clone()).caller(stranger),
        agent(vec![]).resume(run.clone()).caller(writer()).decide(other.pending()[0].approve("boss")),
        agent(vec![]).resume(run.clone()).caller(writer()).limits(agent_core::Limits::default().max_cycles(0)),
        more_tools.resume(run.clone()).caller(writer()),
    ] {
        let error = resumed.await.unwrap_err();
        let RunErrorKind::NotResumed { run: kept, .. } = error.kind() else { panic!("{error:?}") };
        assert_eq!(**kept, run);
    }
    // The same by its id: what is stored does not fit either.
    let error = more_tools.run("Sign.").caller(writer()).id("s").await.unwrap_err();
    assert!(matches!(error.kind(), RunErrorKind::NotResumed { .. }), "{error:?}");
    let decision = run.pending()[0].approve("boss");
    let answer = agent(vec![Reply::text("Signed.")]).resume(run).caller(writer()).decide(decision).await.unwrap();
    assert_eq!((answer.text(), world.effects()), ("Signed.", 1));
}

#[tokio::test(start_paused = true)]
async fn a_resume_of_a_run_that_somebody_else_drives_gives_the_run_back() {
    let (runs, claims, world) = (Runs::default(), Shared::default(), Arc::default());
    let agent = |replies| signing(replies, &runs, &claims, &world);
    let run = suspended(&agent(vec![signs("a", 1)]).run("Sign.").caller(writer()).id("s").await.unwrap_err());
    let digest = prompt_digest(&Run::new({
        let mut start = agent_core::run::RunStart::new("s", "Sign.");
        (start.user, start.tenant) = ("usr_1".to_owned(), "tenant_1".to_owned());
        start
    }));
    let opened = runs.open(&OpenRun::new(&run, &digest.unwrap())).await.unwrap();
    assert!(matches!(opened, Opened::TakenUp { .. }), "{opened:?}");
    let error = agent(vec![]).resume(run.clone()).caller(writer()).await.unwrap_err();
    let RunErrorKind::NotResumed { what, run: kept } = error.kind() else { panic!("{error:?}") };
    assert!(what.contains("elsewhere") && **kept == run, "{what}");
}

/// Lets nobody do anything, and never says so.
struct Undecided;

#[async_trait::async_trait]
impl agent_core::Authorizer for Undecided {
    async fn authorize(&self, _: &SecurityContext, _: &agent_core::Access<'_>) -> Result<(), agent_core::Denied> {
        std::future::pending().await
    }
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_a_hook_withheld_is_withheld_also_when_the_run_is_taken_up() {
    let (runs, claims, world) = (Runs::default(), Shared::default(), Arc::<World>::default());
    let agent = |replies: Vec<Reply>| {
        let builder = Agent::builder(ScriptedModel::new(replies)).tools(tools![look, act, add]);
        let builder = builder.state(App { world: world.clone() }).store(claims.clone()).run_store(runs.clone());
        builder.step_hook(|_: &Run| agent_core::NextTurn::new().offer(["look"]))
    };
    // The gates hang at the call of `look`, which is offered.
    let calls = Reply::calls([ToolCall::new("l", "look", r#"{"how":"ok"}"#), acts("a", "ok", 1)]);
    let first = agent(vec![calls]).authorizer(Undecided).build().unwrap();
    let running = first.run("Go.").caller(writer()).id("r").into_future();
    assert!(tokio::time::timeout(Duration::from_secs(1), running).await.is_err(), "cut off at the gates");
    tokio::time::sleep(Duration::from_secs(31)).await;
    let second = agent(vec![Reply::text("Only looked.")]).build().unwrap();
    let answer = second.run("Go.").caller(writer()).id("r").await.unwrap();
    assert_eq!((answer.text(), world.effects()), ("Only looked.", 0));
    assert!(format!("{:?}", answer.record().messages).contains("UNKNOWN_TOOL"));
}

/// Gives a pair.
#[agent_core::tool]
async fn pair() -> Pair {
    Pair { b: 1.0, a: 2 }
}

#[derive(serde::Serialize)]
struct Pair {
    b: f64,
    a: u32,
}

#[tokio::test]
async fn a_copy_whose_json_was_written_otherwise_is_no_old_copy() {
    let (runs, claims, world) = (Runs::default(), Shared::default(), Arc::<World>::default());
    let agent = |replies| {
        let builder = Agent::builder(ScriptedModel::new(replies)).tools(tools![pair, crate::world::sign]);
        let builder = builder.state(App { world: world.clone() }).store(claims.clone());
        builder.run_store(runs.clone()).build().unwrap()
    };
    let calls = [ToolCall::new("p", "pair", "{}"), ToolCall::new("a", "sign", r#"{"how":"ok"}"#)];
    let error = agent(vec![Reply::calls(calls)]).run("Sign.").caller(writer()).id("s").await.unwrap_err();
    let RunErrorKind::Suspended(run) = error.into_kind() else { panic!("it waits for a person") };
    // As a column of JSON gives it back: keys in another order, numbers in another form.
    let text = serde_json::to_value(&*run).unwrap().to_string().replace(r#""b":1.0"#, r#""b":1"#);
    let kept: Run = serde_json::from_str(&text).unwrap();
    assert_ne!(kept, *run);
    let decision = kept.pending()[0].approve("boss");
    let answer = agent(vec![Reply::text("Signed.")]).resume(kept).caller(writer()).decide(decision).await.unwrap();
    assert_eq!((answer.text(), world.effects()), ("Signed.", 1));
    let messages = serde_json::to_string(&answer.record().messages).unwrap();
    assert!(messages.contains("1.0"), "what the store has is what goes on: {messages}");
}

#[tokio::test]
async fn runs_that_are_kept_need_claims_that_are() {
    let builder = || Agent::builder(ScriptedModel::new([])).run_store(Runs::default());
    let error = builder().tools(tools![look, act, add]).state(App::default()).build().unwrap_err().to_string();
    assert!(
        error.contains("the claims of `act` would be forgotten") && error.contains("give `Builder::store`"),
        "{error}"
    );
    builder().tools(tools![look]).state(App::default()).build().unwrap();
}
