//! An agent that computes tax and records an invoice, offline: a server on a loopback port plays the model.
//!
//! The request goes the whole way that a real one goes, the chat-completions wire format included.
//! With `--store` all of it outlives the program, which may be killed and started again.
//! `--help` lists the switches and the exit codes.

mod ledger;
mod options;
mod quotes;
mod script;
mod tax;
mod tools;

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;

use agent_core::{Agent, Answer, Observation, tools};
use agent_examples::server::Expected;
use agent_examples::view::View;
use agent_examples::{Interrupt, Model, conclude, when_free};
use agent_store::SqliteStore;
use clap::Parser;

use crate::options::Options;
use crate::tools::{App, calculate_tax, record_invoice};

const SYSTEM: &str = "You coordinate deterministic tools; you never compute amounts yourself. \
                      Say plainly what was recorded and what was not.";
const PROMPT: &str = "Compute the tax for 1500 GBP in the UK and for 500 EUR in Germany (DE), \
                      then record the UK invoice for Northwind Trading Ltd.";

/// What the server that plays the model must find in each request.
const EXPECTED: Expected =
    Expected { tools: &["calculateTax", "recordInvoice"], must_call: false, shown: Observation::Envelope };

fn main() -> ExitCode {
    agent_examples::main(invoice(Options::parse()))
}

async fn invoice(options: Options) -> Result<u8, Box<dyn Error>> {
    let interrupt = Interrupt::listen();
    let view = Arc::new(View::new(&options.common, None));
    let (scenario, crash) = (options.scenario(), options.crash);
    let model = Model::start(&options.common, EXPECTED, move |said| {
        if crash && said.answered.iter().any(|call| call.tool == "recordInvoice") {
            // As abrupt as a kill: nothing of the program runs after it.
            std::process::abort();
        }
        script::reply(scenario, said)
    })
    .await?;
    let store = match &options.store {
        Some(path) => Some(SqliteStore::open(path).await?),
        None => None,
    };
    let app = match &store {
        Some(store) => App::in_file(store).await.map_err(|error| -> Box<dyn Error> { error })?,
        None => App::default(),
    };
    view.begin(&model, PROMPT, options.who.roles());
    let mut builder = Agent::builder(model.client.clone())
        .system(SYSTEM)
        .tools(tools![calculate_tax, record_invoice])
        .state(app)
        .observer(view.clone());
    if let Some(store) = &store {
        builder = builder.store(store.clone()).run_store(store.clone());
    }
    let agent = builder.build()?;

    let ended = when_free(&interrupt, || {
        let run = agent.run(PROMPT).caller(options.caller()).cancel(interrupt.cancellation());
        match &options.common.run_id {
            Some(id) => run.id(id),
            None => run,
        }
    })
    .await;
    let said = |answer: &Answer| answer.text().to_owned();
    let done = async |app: &App| app.ledger.summary().await;
    Ok(conclude(&agent, &ended, &view, &interrupt, said, done, options::advice).await)
}
