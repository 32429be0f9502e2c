//! A tool that settles its own claim, through the framework.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use agent_core::idempotency::IdempotencyStore;
use agent_core::model::ToolCall;
use agent_core::testing::ScriptedModel;
use agent_core::{Agent, CallContext, Dispatch, OrFatal, SecurityContext, State, ToolError, ToolResult, tool, tools};
use agent_store::{PostgresOptions, PostgresStore};

use crate::crash::{Server, script};
use crate::faults::Wire;
use crate::place::Place;

/// What goes wrong between the settlement and its commit, once.
#[derive(Debug, Default)]
struct Between {
    /// Loses the server's next answer.
    lose: Option<Arc<AtomicBool>>,
    /// The server to kill and to start anew.
    kill: Option<PathBuf>,
    happened: AtomicBool,
}

#[derive(Debug, State)]
struct App {
    store: PostgresStore,
    between: Between,
}

/// Books, in one transaction with the record of it, and then does as it is told.
#[tool(mutating, unrestricted, keyed)]
async fn book(
    /// What comes after: ok, panic, fatal, `other_value`, before.
    then: String,
    store: &PostgresStore,
    between: &Between,
    call: &CallContext,
) -> Result<String, ToolError> {
    let claim = call.claim().expect("a mutating call has a claim");
    let mut client = store.pool().get().await.fatal()?;
    let tx = client.transaction().await.fatal()?;
    tx.execute("INSERT INTO ledger DEFAULT VALUES", &[]).await.fatal()?;
    PostgresStore::settle_in(&tx, claim, "booked").await.fatal()?;
    if then == "before" {
        return Err(ToolError::fatal("before the commit"));
    }
    if !between.happened.swap(true, Ordering::SeqCst) {
        if let Some(lose) = &between.lose {
            lose.store(true, Ordering::SeqCst);
        }
        if let Some(folder) = between.kill.clone() {
            let killed = tokio::task::spawn_blocking(move || {
                script("kill", &folder);
                script("again", &folder);
            });
            killed.await.fatal()?;
        }
    }
    tx.commit().await.fatal()?;
    match then.as_str() {
        "panic" => panic!("after the commit"),
        "fatal" => Err(ToolError::fatal("after the commit")),
        "other_value" => Ok("something else".to_owned()),
        _ => Ok("booked".to_owned()),
    }
}

struct Bench {
    agent: Agent<App>,
    claims: Arc<dyn IdempotencyStore>,
    store: PostgresStore,
}

impl Bench {
    async fn new(url: &str, between: Between) -> Self {
        let store = PostgresOptions::new(url).connections(2).open().await.unwrap();
        let table = "CREATE TABLE ledger (id bigint GENERATED ALWAYS AS IDENTITY)";
        store.pool().get().await.unwrap().batch_execute(table).await.unwrap();
        let state = App { store: store.clone(), between };
        let agent = Agent::builder(ScriptedModel::new([])).tools(tools![book]).state(state).build().unwrap();
        Self { agent, claims: Arc::new(store.clone()), store }
    }

    async fn book(&self, then: &str) -> ToolResult {
        let (caller, run) = (Arc::new(SecurityContext::new("usr_1", "t")), Arc::from("run-1"));
        let at = Dispatch::new(&caller, self.agent.state(), &self.claims, &run);
        let call = ToolCall::new("c", "book", format!(r#"{{"then":"{then}"}}"#));
        self.agent.toolbox().dispatch(&call, &at).await
    }

    async fn booked(&self) -> i64 {
        let client = self.store.pool().get().await.unwrap();
        client.query_one("SELECT count(*) FROM ledger", &[]).await.unwrap().get(0)
    }
}

#[tokio::test]
async fn the_frameworks_own_settlement_finds_the_claim_settled_and_is_content() {
    let Some(place) = Place::find() else { return };
    let bench = Bench::new(&place.schema().await, Between::default()).await;
    let first = bench.book("ok").await;
    assert!(first.is_success() && !first.metadata().replayed, "{first:?}");
    let again = bench.book("ok").await;
    assert!(again.is_success() && again.metadata().replayed, "{again:?}");
    assert_eq!(bench.booked().await, 1);
    place.leave().await;
}

#[tokio::test]
async fn a_tool_that_fails_after_its_commit_gives_what_is_recorded() {
    let Some(place) = Place::find() else { return };
    for then in ["panic", "fatal", "other_value"] {
        let bench = Bench::new(&place.schema().await, Between::default()).await;
        for _ in 0..2 {
            let result = bench.book(then).await;
            assert!(result.is_success() && result.metadata().replayed, "{then}: {result:?}");
            assert_eq!(result.data().unwrap().get(), "\"booked\"");
        }
        assert_eq!(bench.booked().await, 1, "{then}");
    }
    place.leave().await;
}

#[tokio::test]
async fn a_tool_that_fails_before_its_commit_has_done_nothing_and_may_be_repeated() {
    let Some(place) = Place::find() else { return };
    let bench = Bench::new(&place.schema().await, Between::default()).await;
    for _ in 0..2 {
        assert_eq!(bench.book("before").await.code(), Some("OUTCOME_UNKNOWN"));
        assert_eq!(bench.booked().await, 0);
    }
    assert!(bench.agent.drain(Duration::ZERO).await.is_empty());
    place.leave().await;
}

#[tokio::test]
async fn a_commit_whose_answer_was_lost_counts_and_is_not_repeated() {
    let Some(place) = Place::find() else { return };
    let wire = Wire::to(&place.schema().await).await;
    let between = Between { lose: Some(wire.lose.clone()), ..Between::default() };
    let bench = Bench::new(&wire.url, between).await;
    for _ in 0..2 {
        let result = bench.book("ok").await;
        assert!(!wire.lose.load(Ordering::SeqCst), "the answer was lost");
        assert!(result.is_success() && result.metadata().replayed, "it is settled, the claim says: {result:?}");
        assert_eq!(bench.booked().await, 1);
    }
    place.leave().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_dies_between_settlement_and_commit_has_done_nothing_and_the_call_may_be_repeated() {
    if Place::find().is_none() {
        return;
    }
    let server = Server::start("between");
    let between = Between { kill: Some(server.folder.clone()), ..Between::default() };
    let bench = Bench::new(&server.url, between).await;
    assert_eq!(bench.book("ok").await.code(), Some("OUTCOME_UNKNOWN"));
    assert_eq!(bench.booked().await, 0, "the transaction is gone with the server");
    let again = bench.book("ok").await;
    assert!(again.is_success() && !again.metadata().replayed, "{again:?}");
    assert_eq!(bench.booked().await, 1);
}
