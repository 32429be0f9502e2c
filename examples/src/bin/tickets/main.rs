//! An agent that opens a ticket and gives a typed answer, offline: a server on a loopback port plays the model.
//!
//! The model gets the priority wrong, reads the validation error and corrects itself. It ends by calling the
//! finish tool, here named `finalizar`, whose arguments are the answer. `--stubborn` plays one that does not learn.

mod desk;
mod options;
mod script;
mod tools;

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;

use agent_core::{Agent, Answer, SecurityContext, tools};
use agent_examples::server::Expected;
use agent_examples::view::View;
use agent_examples::{Interrupt, Model, conclude};
use clap::Parser;

use crate::options::Options;
use crate::tools::{App, Final, create_ticket};

const SYSTEM: &str = "You open tickets for the support team. Say plainly whether one was opened, and under which id.";
const PROMPT: &str = "The label printer in the warehouse is down and nothing can be shipped. This is urgent.";

/// The name of the finish tool.
const FINISH: &str = "finalizar";

fn main() -> ExitCode {
    agent_examples::main(tickets(Options::parse()))
}

async fn tickets(options: Options) -> Result<u8, Box<dyn Error>> {
    let interrupt = Interrupt::listen();
    let shown = options.shown();
    let view = Arc::new(View::new(&options.common, options.observation.map(Into::into)));
    let stubborn = options.stubborn;
    // What the server that plays the model must find in each request.
    let expected = Expected { tools: &["create_ticket", FINISH], must_call: true, shown };
    let model = Model::start(&options.common, expected, move |said| script::reply(stubborn, said)).await?;
    view.begin(&model, PROMPT, &[]);
    let agent = Agent::builder(model.client.clone())
        .system(SYSTEM)
        .tools(tools![create_ticket])
        .state(App::default())
        .observation(shown)
        .observer(view.clone())
        .build()?;

    let caller = SecurityContext::new("usr_9918", "tenant_uk_01");
    let mut run = agent.run(PROMPT).caller(caller).cancel(interrupt.cancellation());
    if let Some(id) = &options.common.run_id {
        run = run.id(id);
    }
    let ended = run.finish_name(FINISH).answer::<Final>().await;
    let said = |answer: &Answer<Final>| answer.value().respuesta_final.clone();
    let done = async |app: &App| app.desk.summary();
    Ok(conclude(&agent, &ended, &view, &interrupt, said, done, options::advice).await)
}
