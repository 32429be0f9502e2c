//! A tool that settles its own claim, through the framework.

use std::sync::Arc;
use std::time::Duration;

use agent_core::idempotency::IdempotencyStore;
use agent_core::model::ToolCall;
use agent_core::testing::ScriptedModel;
use agent_core::{Agent, CallContext, Dispatch, SecurityContext, State, ToolError, ToolResult, tool, tools};
use agent_store::SqliteStore;

use crate::Wrong;

#[derive(Debug, State)]
struct App {
    store: SqliteStore,
}

/// Books, in one transaction with the record of it, and then does as it is told.
#[tool(mutating, unrestricted, keyed)]
async fn book(
    /// What comes after: ok, panic, fatal, `other_value`, before.
    then: String,
    store: &SqliteStore,
    call: &CallContext,
) -> Result<String, ToolError> {
    let claim = call.claim().expect("a mutating call has a claim").clone();
    let fails = then == "before";
    let work = store.transaction(move |tx| -> Result<(), Wrong> {
        tx.execute("INSERT INTO ledger DEFAULT VALUES", [])?;
        SqliteStore::settle_in(tx, &claim, "booked")?;
        if fails { Err("before the commit".into()) } else { Ok(()) }
    });
    work.await.map_err(ToolError::fatal)?;
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
    store: SqliteStore,
    _folder: tempfile::TempDir,
}

impl Bench {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let store = SqliteStore::open(folder.path().join("s.db")).await.unwrap();
        let made = store.transaction(|tx| -> Result<(), Wrong> {
            Ok(tx.execute_batch("CREATE TABLE ledger (id INTEGER PRIMARY KEY)")?)
        });
        made.await.unwrap();
        let agent = Agent::builder(ScriptedModel::new([])).tools(tools![book]).state(App { store: store.clone() });
        Self { agent: agent.build().unwrap(), claims: Arc::new(store.clone()), store, _folder: folder }
    }

    async fn book(&self, then: &str) -> ToolResult {
        let (caller, run) = (Arc::new(SecurityContext::new("usr_1", "t")), Arc::from("run-1"));
        let at = Dispatch::new(&caller, self.agent.state(), &self.claims, &run);
        let call = ToolCall::new("c", "book", format!(r#"{{"then":"{then}"}}"#));
        self.agent.toolbox().dispatch(&call, &at).await
    }

    async fn booked(&self) -> i64 {
        let count = self.store.transaction(|tx| -> Result<i64, Wrong> {
            Ok(tx.query_row("SELECT count(*) FROM ledger", [], |row| row.get(0))?)
        });
        count.await.unwrap()
    }
}

#[tokio::test]
async fn the_frameworks_own_settlement_finds_the_claim_settled_and_is_content() {
    let bench = Bench::new().await;
    let first = bench.book("ok").await;
    assert!(first.is_success() && !first.metadata().replayed, "{first:?}");
    let again = bench.book("ok").await;
    assert!(again.is_success() && again.metadata().replayed, "{again:?}");
    assert_eq!(bench.booked().await, 1);
}

#[tokio::test]
async fn a_tool_that_fails_after_its_commit_gives_what_is_recorded() {
    for then in ["panic", "fatal", "other_value"] {
        let bench = Bench::new().await;
        for _ in 0..2 {
            let result = bench.book(then).await;
            assert!(result.is_success() && result.metadata().replayed, "{then}: {result:?}");
            assert_eq!(result.data().unwrap().get(), "\"booked\"");
        }
        assert_eq!(bench.booked().await, 1, "{then}");
    }
}

#[tokio::test]
async fn a_tool_that_fails_before_its_commit_has_done_nothing_and_may_be_repeated() {
    let bench = Bench::new().await;
    for _ in 0..2 {
        assert_eq!(bench.book("before").await.code(), Some("OUTCOME_UNKNOWN"));
        assert_eq!(bench.booked().await, 0);
    }
    assert!(bench.agent.drain(Duration::ZERO).await.is_empty());
}
