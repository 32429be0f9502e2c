//! A program that is killed: it runs one tool through the framework, and stops at a labelled point for good.
//!
//! `victim run STORE FOLDER TOOL [POINT]` calls the tool, and says `at POINT` where it is to be killed, or else what the
//! framework answered. `victim count STORE FOLDER TOOL` says how often the effect has happened.
//! STORE is `sqlite`, or a PostgreSQL connection string; FOLDER holds the file and the effects outside the database.

mod halt;
mod ledger;
mod tools;

use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;

use agent_core::idempotency::IdempotencyStore;
use agent_core::model::ToolCall;
use agent_core::testing::ScriptedModel;
use agent_core::{Agent, Dispatch, SecurityContext, State, tools};

use self::halt::{Halting, say};
use self::ledger::Ledger;
use self::tools::{Target, book_checked, book_keyed, book_plain, book_together};

type Wrong = Box<dyn Error + Send + Sync>;

#[derive(Debug, State)]
struct App {
    target: Target,
    ledger: Ledger,
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Result<(), Wrong> {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [command, store, folder, tool, point @ ..] = &*arguments else {
        return Err("victim run|count STORE FOLDER TOOL [POINT]".into());
    };
    halt::at(point.first().map(String::as_str));
    let folder = PathBuf::from(folder);
    let ledger = Ledger::open(store, &folder).await?;
    let target = Target::new(folder);
    if command == "count" {
        let effects = if tool == "book_together" { ledger.count().await? } else { target.count()? };
        return say(effects);
    }
    let store: Arc<dyn IdempotencyStore> = Arc::new(Halting(ledger.store()));
    let agent = Agent::builder(ScriptedModel::new([]))
        .tools(tools![book_plain, book_keyed, book_checked, book_together])
        .state(App { target, ledger })
        .build()?;
    let caller = Arc::new(SecurityContext::new("usr_1", "tenant_1").role("book"));
    let run_id = Arc::from("order-4711");
    let at = Dispatch::new(&caller, agent.state(), &store, &run_id);
    let result = agent.toolbox().dispatch(&ToolCall::new("call", tool.as_str(), r#"{"amount":7}"#), &at).await;
    match result.code() {
        Some(code) => say(code),
        None if result.metadata().replayed => say("success, replayed"),
        None => say("success"),
    }
}
