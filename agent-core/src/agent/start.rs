//! A run that is about to begin.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::drive::{Driver, drive};
use super::{Answer, Inner, Limits, RunError};
use crate::model::Message;
use crate::run::{Plan, Record, Run, RunErrorKind, RunStart};
use crate::security::SecurityContext;

/// A run that is about to begin; awaiting it runs it.
#[must_use = "a run begins when it is awaited"]
pub struct RunBuilder<S> {
    agent: Arc<Inner<S>>,
    prompt: String,
    caller: SecurityContext,
    id: Option<String>,
    limits: Option<Limits>,
    history: Vec<Message>,
    cancel: CancellationToken,
}

impl<S: Send + Sync + 'static> RunBuilder<S> {
    pub(super) fn new(agent: Arc<Inner<S>>, prompt: String) -> Self {
        Self {
            agent,
            prompt,
            caller: SecurityContext::anonymous(),
            id: None,
            limits: None,
            history: Vec::new(),
            cancel: CancellationToken::new(),
        }
    }

    /// On whose behalf. Default: nobody, with no roles.
    pub fn caller(mut self, caller: SecurityContext) -> Self {
        self.caller = caller;
        self
    }

    /// The run's id, from the host, for example the order that it is about. Within the store's memory,
    /// the same effect under the same id happens once. Without one the id is random: then a second run
    /// of the same request repeats its effects.
    pub fn id(mut self, id: impl Into<String>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// The bounds of this run, in place of the agent's.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = Some(limits);
        self
    }

    /// The conversation that the prompt continues, as a former run's record has it.
    pub fn history(mut self, messages: Vec<Message>) -> Self {
        self.history = messages;
        self
    }

    /// Ends the run when the token is cancelled; what is running is told, and the history stays valid.
    pub fn cancel(mut self, token: CancellationToken) -> Self {
        self.cancel = token;
        self
    }

    async fn go(self) -> Result<Answer, RunError> {
        let plan = match self.limits {
            None => self.agent.plan.clone(),
            Some(limits) => {
                if let Err(invalid) = limits.check() {
                    let kind = RunErrorKind::Invalid { what: invalid.to_string() };
                    return Err(RunError::new(kind, Record::default(), None, None));
                }
                Arc::new(Plan { limits, ..Plan::clone(&self.agent.plan) })
            }
        };
        let id = match self.id {
            Some(id) if id.is_empty() => {
                let kind = RunErrorKind::Invalid { what: "the run's id is empty".to_owned() };
                return Err(RunError::new(kind, Record::default(), None, None));
            }
            Some(id) => id,
            None => match random_id() {
                Ok(id) => id,
                Err(what) => {
                    return Err(RunError::new(RunErrorKind::Invalid { what }, Record::default(), None, None));
                }
            },
        };
        let run = Run::new(RunStart {
            id: id.clone(),
            user: self.caller.user().to_owned(),
            tenant: self.caller.tenant().to_owned(),
            history: self.history,
            prompt: Message::user(self.prompt),
        });
        let driver = Driver {
            agent: &self.agent,
            plan: &plan,
            run_id: Arc::from(id),
            caller: Arc::new(self.caller),
            cancel: self.cancel,
        };
        drive(driver, run).await
    }
}

/// A random id of 128 bits.
fn random_id() -> Result<String, String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| format!("the system gives no randomness for a run id: {error}"))?;
    Ok(bytes.iter().fold(String::from("run_"), |mut id, byte| {
        use fmt::Write;
        // Writing into a string cannot fail.
        let _ = write!(id, "{byte:02x}");
        id
    }))
}

impl<S: Send + Sync + 'static> IntoFuture for RunBuilder<S> {
    type Output = Result<Answer, RunError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.go())
    }
}

impl<S> fmt::Debug for RunBuilder<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunBuilder").field("caller", &self.caller).field("id", &self.id).finish_non_exhaustive()
    }
}
