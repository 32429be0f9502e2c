//! A program that is killed: it runs an agent with a scripted model, and stops at a labelled point.
//!
//! `victim run STORE FOLDER TOOL [POINT]` runs a request that calls the tool once, or takes it up. It says `at POINT` where
//! it is to be killed, or else how the call ended. `victim count STORE FOLDER TOOL` says how often the effect has happened.
//! STORE is `sqlite`, or a PostgreSQL connection string; FOLDER holds the file and the effects outside the database.

mod halt;
mod ledger;
mod tools;

use std::error::Error;
use std::path::PathBuf;

use agent_core::model::{Body, Reply, ToolCall};
use agent_core::run::{Record, StepRecord};
use agent_core::testing::FunctionModel;
use agent_core::{Agent, RunErrorKind, SecurityContext, State, tools};

use self::halt::{Halting, HaltingRuns, halt, say};
use self::ledger::Ledger;
use self::tools::{Target, book_checked, book_keyed, book_plain, book_together};

type Wrong = Box<dyn Error + Send + Sync>;

#[derive(Debug, State)]
struct App {
    target: Target,
    ledger: Ledger,
}

/// Calls the tool, and ends when it has seen the result.
fn model(tool: String) -> FunctionModel {
    FunctionModel::new(move |messages| {
        if !messages.iter().any(|message| matches!(message.body(), Body::Tool { .. })) {
            return Ok(Reply::calls([ToolCall::new("call", tool.as_str(), r#"{"amount":7}"#)]));
        }
        halt("between steps");
        Ok(Reply::text("Booked."))
    })
}

/// How the run's only call ended.
fn call_ended(record: &Record) -> Result<String, Wrong> {
    let mut calls = record.steps.iter().filter_map(|step| match step {
        StepRecord::Tool(step) => Some(step),
        _ => None,
    });
    let (Some(step), None) = (calls.next(), calls.next()) else {
        return Err(format!("there is one call in the run: {:?}", record.steps).into());
    };
    Ok(match &step.code {
        Some(code) => code.clone(),
        None if step.replayed => "success, replayed".to_owned(),
        None => "success".to_owned(),
    })
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
    let (claims, runs) = (Halting(ledger.claims()), HaltingRuns(ledger.runs()));
    let agent = Agent::builder(model(tool.clone()))
        .tools(tools![book_plain, book_keyed, book_checked, book_together])
        .state(App { target, ledger })
        .store(claims)
        .run_store(runs)
        .build()?;
    let caller = SecurityContext::new("usr_1", "tenant_1").role("book");
    match agent.run("Book it.").caller(caller).id("order-4711").await {
        Ok(answer) => say(call_ended(answer.record())?),
        Err(error) if matches!(error.kind(), RunErrorKind::OutcomeUnknown { .. }) => say(call_ended(error.record())?),
        // Somebody else has taken the run up meanwhile.
        Err(error) if matches!(error.kind(), RunErrorKind::NotSaved { .. }) => say("not saved"),
        Err(error) => Err(error.into()),
    }
}
