//! An agent that computes tax and records an invoice, offline: a server on a loopback port plays the model.
//!
//! The request goes the whole way that a real one goes, the chat-completions wire format included.
//! `--help` lists the switches and the exit codes.

mod exit;
mod ledger;
mod options;
mod quotes;
mod script;
mod server;
mod tax;
mod tools;
mod view;

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use agent_core::{Agent, Event, tools};
use agent_openai::OpenAi;
use clap::Parser;

use crate::options::Options;
use crate::server::Server;
use crate::tools::{App, calculate_tax, record_invoice};
use crate::view::View;

const SYSTEM: &str = "You coordinate deterministic tools; you never compute amounts yourself. \
                      Say plainly what was recorded and what was not.";
const PROMPT: &str = "Compute the tax for 1500 GBP in the UK and for 500 EUR in Germany (DE), \
                      then record the UK invoice for Northwind Trading Ltd.";

/// How long a booking that outlives its run may still take before the program ends.
const DRAIN: Duration = Duration::from_secs(30);

fn main() -> ExitCode {
    let options = Options::parse();
    let code = start(&options).unwrap_or_else(|error| {
        view::complain_of(&*error);
        exit::FAILED
    });
    ExitCode::from(code)
}

fn start(options: &Options) -> Result<u8, Box<dyn Error>> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|error| format!("the runtime cannot start: {error}"))?;
    runtime.block_on(invoice(options))
}

async fn invoice(options: &Options) -> Result<u8, Box<dyn Error>> {
    let view = Arc::new(View::new(options.json));
    // The server plays the model for as long as it is held.
    let (model, _server) = model(options).await?;
    view.begin(&model, options, PROMPT);
    let listener = view.clone();
    let agent = Agent::builder(model)
        .system(SYSTEM)
        .tools(tools![calculate_tax, record_invoice])
        .state(App::default())
        .observer(move |_: &str, event: &Event| listener.event(event))
        .build()?;

    let mut run = agent.run(PROMPT).caller(options.caller());
    if let Some(id) = &options.run_id {
        run = run.id(id);
    }
    let ended = run.await;
    let still_running = agent.drain(DRAIN).await;

    let record = match &ended {
        Ok(answer) => answer.record(),
        Err(error) => error.record(),
    };
    view.end(record, agent.state().ledger.entries());
    let mut code = exit::OK;
    if let Err(error) = &ended {
        view::complain_of(error);
        view::advise(exit::advice(error.kind()));
        code = exit::code(error.kind());
    }
    for call in still_running {
        view::complain(&format!("the call {call} is still running; look into the ledger by hand"));
        code = exit::OUTCOME_UNKNOWN;
    }
    if let Some(error) = view.failure() {
        view::complain(&format!("stdout could not be written: {error}; the run itself went on to its end"));
        // How the run ended matters more.
        code = if code == exit::OK { exit::FAILED } else { code };
    }
    Ok(code)
}

/// The configured model, or one that a server of our own plays.
async fn model(options: &Options) -> Result<(OpenAi, Option<Server>), Box<dyn Error>> {
    if options.live {
        let model = OpenAi::from_env().map_err(|error| format!("{error}; or leave out `--live` for the script"))?;
        return Ok((model, None));
    }
    let server = Server::start(options.scenario()).await.map_err(|error| {
        format!("no port on 127.0.0.1 for the scripted model: {error}; is loopback networking allowed?")
    })?;
    let model = OpenAi::builder().base_url(server.base_url()).model("scripted").build()?;
    Ok((model, Some(server)))
}
