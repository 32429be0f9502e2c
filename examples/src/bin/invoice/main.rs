//! An agent that computes tax and records an invoice, offline: a server on a loopback port plays the model.
//!
//! The request goes the whole way that a real one goes, the chat-completions wire format included.
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

use agent_core::{Agent, Event, Observation, tools};
use agent_examples::server::Expected;
use agent_examples::view::View;
use agent_examples::{Interrupt, Model, conclude};
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
    let view = Arc::new(View::new(options.common.json, None));
    let scenario = options.scenario();
    let model = Model::start(&options.common, EXPECTED, move |said| script::reply(scenario, said)).await?;
    view.begin(&model, PROMPT, options.who.roles());
    let listener = view.clone();
    let agent = Agent::builder(model.client.clone())
        .system(SYSTEM)
        .tools(tools![calculate_tax, record_invoice])
        .state(App::default())
        .observer(move |_: &str, event: &Event| listener.event(event))
        .build()?;

    let mut run = agent.run(PROMPT).caller(options.caller()).cancel(interrupt.cancellation());
    if let Some(id) = &options.common.run_id {
        run = run.id(id);
    }
    let ended = run.await;
    let done = |app: &App| app.ledger.summary();
    Ok(conclude(&agent, &ended, &view, &interrupt, done, options::advice).await)
}
