//! The frame of an example: a runtime around it, a model for it, and its end.

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use agent_anthropic::Anthropic;
use agent_core::{Agent, Answer, RunBuilder, RunError, RunErrorKind};
use agent_openai::OpenAi;

use crate::server::{Conversation, Expected, Reply, Server};
use crate::{Common, Interrupt, Provider, exit, view};

/// How long a booking that outlives its run may still take before the program ends.
const DRAIN: Duration = Duration::from_secs(30);

/// How long a slow script thinks, and then writes.
const SLOW: Duration = Duration::from_millis(1_200);

/// Runs a program that gives its exit code, and says why where it gives none.
pub fn main(program: impl Future<Output = Result<u8, Box<dyn Error>>>) -> ExitCode {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let ended = match runtime {
        Ok(runtime) => runtime.block_on(program),
        Err(error) => Err(format!("the runtime cannot start: {error}").into()),
    };
    ExitCode::from(ended.unwrap_or_else(|error| {
        view::complain_of(&*error);
        exit::FAILED
    }))
}

/// A model to ask, real or played.
pub struct Model {
    /// The client that asks it.
    pub client: Arc<dyn agent_core::model::Model>,
    /// It plays the model for as long as it is held.
    server: Option<Server>,
}

impl Model {
    /// The configured model, or one that a server of our own plays by a script.
    ///
    /// # Errors
    ///
    /// A setting that is missing or wrong, or no port on this machine.
    pub async fn start(
        common: &Common,
        expected: Expected,
        script: impl Fn(&Conversation) -> Reply + Send + Sync + 'static,
    ) -> Result<Self, Box<dyn Error>> {
        if common.live {
            // All that differs between the two is in these two lines, here and below.
            let client = match common.provider {
                Provider::Openai => OpenAi::from_env().map(|client| Arc::new(client) as _),
                Provider::Anthropic => Anthropic::from_env().map(|client| Arc::new(client) as _),
            };
            let client = client.map_err(|error| format!("{error}; or leave out `--live` for the script"))?;
            return Ok(Self { client, server: None });
        }
        let thinks = if common.slow { SLOW } else { Duration::ZERO };
        let server = Server::start(expected, thinks, script).await.map_err(|error| {
            format!("no port on 127.0.0.1 for the scripted model: {error}; is loopback networking allowed?")
        })?;
        let client: Arc<dyn agent_core::model::Model> = match common.provider {
            Provider::Openai => Arc::new(OpenAi::builder().base_url(server.base_url()).model("scripted").build()?),
            Provider::Anthropic => {
                Arc::new(Anthropic::builder().base_url(server.base_url()).model("scripted").build()?)
            }
        };
        Ok(Self { client, server: Some(server) })
    }

    /// Whom the program asks, for a person.
    pub fn about(&self) -> String {
        match self.server {
            Some(_) => "a script, played by a server in this program; nothing leaves this machine".to_owned(),
            None => format!("{}, the configured server", self.client.name()),
        }
    }
}

/// How often it is asked whether a run is free.
const ASK_AGAIN: Duration = Duration::from_millis(500);

/// Runs, and waits while another process has the run: one that was killed a moment ago has it until its lease is over.
pub async fn when_free<S, T>(interrupt: &Interrupt, run: impl Fn() -> RunBuilder<S, T>) -> Result<Answer<T>, RunError>
where
    S: Send + Sync + 'static,
    T: Send + Unpin + 'static,
{
    let mut told = false;
    loop {
        let ended = run().await;
        if !matches!(&ended, Err(error) if matches!(error.kind(), RunErrorKind::Owned { .. })) {
            return ended;
        }
        if !told {
            told = true;
            view::note(
                "another process has this run, or was killed while it had; waiting, for half a minute at most then",
            );
        }
        tokio::select! {
            () = tokio::time::sleep(ASK_AGAIN) => {}
            () = interrupt.once() => return ended,
        }
    }
}

/// Waits for what the run has begun, gives the answer, shows what was done, and gives the exit code.
pub async fn conclude<S: Send + Sync + 'static, T>(
    agent: &Agent<S>,
    ended: &Result<Answer<T>, RunError>,
    view: &view::View,
    interrupt: &Interrupt,
    said: impl FnOnce(&Answer<T>) -> String,
    done: impl AsyncFnOnce(&S) -> String,
    advice: fn(&RunErrorKind) -> &'static str,
) -> u8 {
    let still_running = tokio::select! {
        left = agent.drain(DRAIN) => left,
        () = interrupt.again() => agent.drain(Duration::ZERO).await,
    };
    let record = match ended {
        Ok(answer) => answer.record(),
        Err(error) => error.record(),
    };
    let answer = ended.as_ref().ok().map(said);
    view.end(answer.as_deref(), record, &done(agent.state()).await);
    let mut code = exit::OK;
    if let Err(error) = ended {
        view::complain_of(error);
        view::advise(advice(error.kind()));
        code = exit::code(error.kind());
    }
    for call in still_running {
        view::complain(&format!("the call {call} is still running; look by hand at what it did"));
        code = exit::OUTCOME_UNKNOWN;
    }
    if let Some(error) = view.failure() {
        view::complain(&format!("stdout could not be written: {error}; the run itself went on to its end"));
        // How the run ended matters more.
        code = if code == exit::OK { exit::FAILED } else { code };
    }
    if let Err(what) = view.write_report(record) {
        view::complain(&what);
        code = if code == exit::OK { exit::FAILED } else { code };
    }
    code
}
