//! A program that is killed: it runs an agent with a scripted model, and stops at a labelled point.
//!
//! `victim run STORE FOLDER TOOL [POINT]` runs a request that calls the tool once, or takes it up. It says `at POINT` where
//! it is to be killed, or else how its calls ended. The tool `turn` is several calls in one turn.
//! `victim count STORE FOLDER TOOL` says how often the effect has happened.
//! STORE is `sqlite`, or a PostgreSQL connection string; FOLDER holds the file and the effects outside the database.

mod halt;
mod ledger;
mod tools;

use std::error::Error;
use std::path::PathBuf;
use std::time::Duration;

use agent_core::model::{Body, Reply, ToolCall};
use agent_core::run::{Record, StepRecord};
use agent_core::testing::FunctionModel;
use agent_core::{Agent, Limits, RunErrorKind, SecurityContext, State, tools};

use self::halt::{Halting, HaltingRuns, LEASE, halt, say};
use self::ledger::Ledger;
use self::tools::{
    Target, book_checked, book_each, book_failing, book_keyed, book_plain, book_refused, book_together, look,
};

type Wrong = Box<dyn Error + Send + Sync>;

/// How long a call may stand at a point, and more.
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Debug, State)]
struct App {
    target: Target,
    ledger: Ledger,
}

/// Calls the tool, or several in one turn, and ends when it has seen the result.
fn model(tool: String) -> FunctionModel {
    FunctionModel::new(move |messages| {
        if !messages.iter().any(|message| matches!(message.body(), Body::Tool { .. })) {
            let call = |id: &str, tool: &str| ToolCall::new(id, tool, r#"{"amount":7}"#);
            return Ok(match tool.as_str() {
                "turn" => Reply::calls([
                    ToolCall::new("a", "look", "{}"),
                    call("b", "book_each"),
                    call("c", "book_each"),
                    ToolCall::new("d", "look", "{}"),
                ]),
                tool => Reply::calls([call("call", tool)]),
            });
        }
        halt("between steps");
        Ok(Reply::text("Booked."))
    })
}

/// How the run's calls ended.
fn calls_ended(record: &Record) -> String {
    let calls = record.steps.iter().filter_map(|step| match step {
        StepRecord::Tool(step) => Some(match &step.code {
            Some(code) => code.clone(),
            None if step.replayed => "success, replayed".to_owned(),
            None => "success".to_owned(),
        }),
        _ => None,
    });
    calls.collect::<Vec<_>>().join("; ")
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
    let limits = Limits::default().lease(LEASE).tool_timeout(PATIENCE).timeout(PATIENCE * 2).grace(PATIENCE);
    let (claims, runs) = (Halting(ledger.claims()), HaltingRuns(ledger.runs()));
    let agent = Agent::builder(model(tool.clone()))
        .tools(tools![book_plain, book_keyed, book_checked, book_together, book_refused, book_failing, book_each, look])
        .limits(limits)
        .state(App { target, ledger })
        .store(claims)
        .run_store(runs)
        .build()?;
    let caller = SecurityContext::new("usr_1", "tenant_1").role("book");
    match agent.run("Book it.").caller(caller).id("order-4711").await {
        Ok(answer) => say(calls_ended(answer.record())),
        Err(error) if matches!(error.kind(), RunErrorKind::OutcomeUnknown { .. }) => say(calls_ended(error.record())),
        // Somebody else has taken the run up meanwhile.
        Err(error) if matches!(error.kind(), RunErrorKind::NotSaved { .. }) => say("not saved"),
        Err(error) => Err(error.into()),
    }
}
