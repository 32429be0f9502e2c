//! A run that is about to begin, or to be taken up.

use std::fmt;
use std::future::{Future, IntoFuture};
use std::pin::Pin;
use std::sync::Arc;

use serde::de::DeserializeOwned;
use tokio::time::Instant;
use tracing::Instrument;

use super::built;
use super::drive::{Driver, Ended, Waited, ended};
use super::events::RunEvents;
use super::finish::{self, Finish, FinishTool};
use super::keeper::{Keeper, Stored};
use super::listeners::{Listeners, Queue};
use super::take_up::not_resumed;
use super::{Answer, Cancellation, Inner, Limits, RunError};
use crate::arguments::SchemaError;
use crate::audit::AuditEvent;
use crate::guest::quiet;
use crate::model::{Message, Session};
use crate::run::{Decision, Plan, Record, Run, RunErrorKind, RunStart};
use crate::schema::{Asked, Profile, ToolSchema, refused_by};
use crate::security::SecurityContext;
use crate::telemetry::spans;

/// A run that is about to begin, or to be taken up; awaiting it runs it.
#[must_use = "a run begins when it is awaited"]
pub struct RunBuilder<S, T = ()> {
    agent: Arc<Inner<S>>,
    begin: Begin,
    caller: SecurityContext,
    limits: Option<Limits>,
    cancel: Cancellation,
    finish_name: String,
    typed: Typed<T>,
    check: Option<CheckAnswer<T>>,
}

/// Whether the host takes an answer, by its value and its text.
type CheckAnswer<T> = Arc<dyn Fn(&T, &str) -> Result<(), String> + Send + Sync>;

enum Begin {
    New { prompt: Message, id: Option<String>, history: Vec<Message> },
    Again { run: Box<Run>, decisions: Vec<Decision> },
}

/// Whether the host takes an answer: its text, and its value as JSON text.
pub(super) type Check = Arc<dyn Fn(&str, Option<&str>) -> Result<(), String> + Send + Sync>;

/// Reads the answer in JSON that the finish tool has taken, where there is one.
type ReadAnswer<T> = fn(Option<&Finish<T>>, Option<&str>) -> Result<T, String>;

/// Makes the finish tool of this name for these profiles.
type MakeFinish<T> = fn(&str, &[&'static Profile]) -> Result<Finish<T>, SchemaError>;

/// How the answer becomes a `T`.
struct Typed<T> {
    /// The finish tool of this name, where the answer has a type.
    finish: Option<MakeFinish<T>>,
    value: ReadAnswer<T>,
}

impl<S: Send + Sync + 'static> RunBuilder<S> {
    pub(super) fn new(agent: Arc<Inner<S>>, prompt: Message) -> Self {
        Self::of(agent, Begin::New { prompt, id: None, history: Vec::new() })
    }

    pub(super) fn again(agent: Arc<Inner<S>>, run: Run) -> Self {
        Self::of(agent, Begin::Again { run: Box::new(run), decisions: Vec::new() })
    }

    fn of(agent: Arc<Inner<S>>, begin: Begin) -> Self {
        Self {
            agent,
            begin,
            caller: SecurityContext::anonymous(),
            limits: None,
            cancel: Cancellation::new(),
            finish_name: finish::NAME.to_owned(),
            typed: Typed { finish: None, value: |_, _| Ok(()) },
            check: None,
        }
    }

    /// Asks for an answer of this type: the model gives it by calling a finish tool whose arguments it is.
    ///
    /// ```
    /// use agent_core::model::{Reply, ToolCall};
    /// use agent_core::testing::ScriptedModel;
    /// use agent_core::{Agent, ToolSchema};
    ///
    /// #[derive(serde::Deserialize, ToolSchema)]
    /// struct Verdict {
    ///     /// Whether the claim holds.
    ///     holds: bool,
    /// }
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let model = ScriptedModel::new([Reply::calls([ToolCall::new("a", "finish", r#"{"holds":true}"#)])]);
    /// let agent = Agent::builder(model).build()?;
    /// let answer = agent.run("Does it hold?").answer::<Verdict>().await?;
    /// assert!(answer.value().holds);
    /// # Ok(())
    /// # }
    /// ```
    /// A type that no schema can describe does not compile: "`the answer` is a `HashMap` with open keys".
    ///
    /// ```compile_fail
    /// use std::collections::HashMap;
    ///
    /// use agent_core::Agent;
    /// use agent_core::testing::ScriptedModel;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let agent = Agent::builder(ScriptedModel::new([])).build()?;
    /// let answer = agent.run("Count.").answer::<HashMap<String, u32>>().await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn answer<U: ToolSchema + DeserializeOwned + Send + Unpin + 'static>(self) -> RunBuilder<S, U> {
        const {
            let report = crate::schema::check::refused(U::SHAPE.get(), "the answer");
            if report.failed() {
                // Evaluated while the program is compiled: it stops the build, never the program.
                panic!("{}", report.text());
            }
        }
        let typed = Typed {
            finish: Some(Finish::new),
            value: |finish: Option<&Finish<U>>, json| match (finish, json) {
                (Some(finish), Some(json)) => finish.value(json),
                _ => Err("the run ended without a typed answer".to_owned()),
            },
        };
        // What was to be asked of the text is asked of it still.
        let check = self.check.map(|check| -> CheckAnswer<U> { Arc::new(move |_, text| check(&(), text)) });
        RunBuilder {
            agent: self.agent,
            begin: self.begin,
            caller: self.caller,
            limits: self.limits,
            cancel: self.cancel,
            finish_name: self.finish_name,
            typed,
            check,
        }
    }
}

impl<S: Send + Sync + 'static, T: Send + Unpin + 'static> RunBuilder<S, T> {
    /// On whose behalf. Default: nobody, with no roles. A run that is taken up needs the user and the
    /// tenant that it began with, and their rights as they are now.
    pub fn caller(mut self, caller: SecurityContext) -> Self {
        self.caller = caller;
        self
    }

    /// The run's id, from the host, for example the order that it is about. Within the store's memory,
    /// the same effect under the same id happens once. With a store of runs, a finished id gives its answer
    /// back without a model call, an unfinished one is taken up where it was, and the same id with another
    /// prompt or user is an error. Without an id it is random: then a second run of the same request
    /// repeats its effects. A run that is taken up keeps its own.
    ///
    /// Unfinished is a run whose process died, and one that ended since its model failed, its time was over, it was
    /// cancelled, or nobody knew whether a call took effect: run it again under its id, with a larger
    /// [`Limits::timeout`] where its time was over. Every other end is given back as it was.
    pub fn id(mut self, id: impl Into<String>) -> Self {
        if let Begin::New { id: kept, .. } = &mut self.begin {
            *kept = Some(id.into());
        }
        self
    }

    /// The bounds of this run, in place of the agent's.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = Some(limits);
        self
    }

    /// The conversation that the prompt continues, as a former run's record has it. A damaged one is
    /// mended, and an event says how. A run that is taken up has its own.
    pub fn history(mut self, messages: Vec<Message>) -> Self {
        if let Begin::New { history, .. } = &mut self.begin {
            *history = messages;
        }
        self
    }

    /// Ends the run when this, a [`Cancellation`] or a `CancellationToken`, is cancelled; what is running
    /// is told, and the history stays valid.
    pub fn cancel(mut self, cancel: impl Into<Cancellation>) -> Self {
        self.cancel = cancel.into();
        self
    }

    /// What a person decided on a call that a suspended run waits for. One that names no such call, or
    /// other arguments, keeps the run from being taken up.
    pub fn decide(mut self, decision: Decision) -> Self {
        if let Begin::Again { decisions, .. } = &mut self.begin {
            decisions.push(decision);
        }
        self
    }

    /// Names the finish tool, which is otherwise called `finish`.
    pub fn finish_name(mut self, name: impl Into<String>) -> Self {
        self.finish_name = name.into();
        self
    }

    /// Looks at each answer, its value and its text, before it counts. A reason goes back to the model, as
    /// often as `Limits::max_extra_calls` allows. A panic in it takes no answer.
    pub fn check_answer(mut self, check: impl Fn(&T, &str) -> Result<(), String> + Send + Sync + 'static) -> Self {
        self.check = Some(Arc::new(check));
        self
    }

    /// Runs, and gives what happens as a stream.
    pub fn events(self) -> RunEvents<T> {
        let queue = Arc::new(Queue::default());
        RunEvents::new(Box::pin(self.go(Some(queue.clone()))), queue)
    }

    /// The finish tool, where the answer has a type.
    fn finish(&self) -> Result<Option<Finish<T>>, String> {
        let Some(finish) = self.typed.finish else { return Ok(None) };
        let name = &self.finish_name;
        if self.agent.toolbox.spec(name).is_some() {
            return Err(format!("the agent has a tool `{name}`; name the finish tool with `finish_name`"));
        }
        let profiles = quiet(|| self.agent.model.profiles()).ok_or("the model adapter panicked in `profiles()`")?;
        let finish =
            finish(name, profiles).map_err(|error| format!("the answer's type cannot be asked for: {error}"))?;
        // The finish tool stands in each request beside the agent's own.
        let mut asked: Vec<_> = self.agent.toolbox.tools().iter().map(built::asked).collect();
        asked.push(Asked { name, strict: true, arguments: Some(finish.tool.shape), text: None });
        match profiles.iter().find_map(|profile| Some((profile.name, refused_by(&asked, profile)?))) {
            Some((provider, what)) => Err(format!("{provider} would refuse the finish tool or what it adds: {what}")),
            None => Ok(Some(finish)),
        }
    }

    async fn go(self, queue: Option<Arc<Queue>>) -> Result<Answer<T>, RunError> {
        let ready = self.finish().and_then(|finish| {
            let plan =
                plan(&self.agent, self.limits, finish.as_ref().map(|finish| &*finish.tool), self.check.is_some())?;
            Ok((finish, plan))
        });
        let given = matches!(self.begin, Begin::Again { .. });
        let (mut run, decisions) = match self.begin {
            Begin::Again { run, decisions } => (*run, decisions),
            Begin::New { prompt, id, history } => {
                let id = match id.map_or_else(random_id, Ok) {
                    Ok(id) if !id.is_empty() => id,
                    Ok(_) => return Err(invalid("the run's id is empty".to_owned())),
                    Err(what) => return Err(invalid(what)),
                };
                let (user, tenant) = (self.caller.user().to_owned(), self.caller.tenant().to_owned());
                (Run::new(RunStart { id, user, tenant, history, prompt }), Vec::new())
            }
        };
        // A run that the host has handed in is in the error.
        let refused = |what, run: Run| match given {
            true => not_resumed(what, run),
            false => RunError::new(RunErrorKind::Invalid { what }, run.into_record(), None, None),
        };
        let (finish, plan) = match ready {
            Ok(ready) => ready,
            Err(what) => return Err(refused(what, run)),
        };
        let value = self.typed.value;
        let answer = |finish: Option<&Finish<T>>, ended: Ended| match quiet(|| value(finish, ended.value.as_deref()))
            .unwrap_or_else(|| Err("reading it failed".to_owned()))
        {
            Ok(value) => Ok(Answer::new(value, ended.text, ended.record)),
            // The finish tool takes only what can be read; a stored answer may be of another type.
            Err(reason) => Err(RunError::new(
                RunErrorKind::NoAnswer { reason, extra_calls: None },
                ended.record,
                Some(ended.text),
                None,
            )),
        };
        let run_id: Arc<str> = Arc::from(run.id());
        let listeners = Listeners::new(run_id.clone(), self.agent.observer.clone(), queue);
        let mut driver = Driver {
            agent: &self.agent,
            plan: &plan,
            run_id,
            caller: Arc::new(self.caller),
            cancel: self.cancel,
            finish: finish.as_ref().map(|finish| finish.tool.clone()),
            check: self.check.map(|check| -> Check {
                let finish = finish.clone();
                Arc::new(move |text, json| {
                    let answer = value(finish.as_ref(), json)?;
                    let said = check(&answer, text);
                    if let (Some(finish), Some(json)) = (&finish, json) {
                        finish.keep(json, answer);
                    }
                    said
                })
            }),
            listeners,
            keeper: None,
            begun: Instant::now(),
            audit: None,
            session: Session::new(),
        };
        driver.audit = self.agent.toolbox.run_audit(&driver.caller, &driver.run_id);
        let deadline = driver.deadline(&run);
        // Before the run is opened in its store: what does not fit keeps nobody else from it.
        let decisions = match driver.wait(deadline, driver.fitting(&run, decisions)).await {
            Waited::Done(Ok(inputs)) => inputs,
            Waited::Done(Err(what)) => {
                driver.audit_refused(driver.misfit(&run)).await;
                return Err(refused(what, run));
            }
            Waited::Late => return Err(driver.too_soon(false, given, run).await),
            Waited::Cancelled => return Err(driver.too_soon(true, given, run).await),
        };
        if let Some(store) = &self.agent.run_store {
            let opened = match driver.wait(deadline, Keeper::open(store, &mut run, plan.limits.lease)).await {
                Waited::Done(opened) => opened,
                Waited::Late => return Err(driver.too_soon(false, given, run).await),
                Waited::Cancelled => return Err(driver.too_soon(true, given, run).await),
            };
            match opened {
                Ok(Stored::New(keeper)) => driver.keeper = Some(keeper),
                Ok(Stored::TakenUp(stored, keeper)) => {
                    if given && !stored.is_at_the_step_of(&run) {
                        driver.leave(&keeper).await;
                        driver.audit_refused("not_resumed").await;
                        let what = "it is an old copy, and the store has a newer one: take that up, by `RunStore::load` \
                                    or by running the request again under its id";
                        return Err(refused(what.to_owned(), run));
                    }
                    if let Err(what) = driver.fits(&stored) {
                        driver.leave(&keeper).await;
                        driver.audit_refused(driver.misfit(&stored)).await;
                        return Err(not_resumed(what, *stored));
                    }
                    run = *stored;
                    driver.keeper = Some(keeper);
                }
                Ok(Stored::Ended(run)) => {
                    driver.audit_not_begun(AuditEvent::stored_end(run.outcome().and_then(Result::err))).await;
                    run.tell_end(&mut &driver.listeners);
                    return answer(finish.as_ref(), ended(*run, None)?);
                }
                Err(refusal) => {
                    driver.audit_refused(refusal.cause(&run)).await;
                    return Err(match given {
                        true => not_resumed(refusal.what(), run),
                        false => RunError::new(refusal.kind(&run), run.into_record(), None, None),
                    });
                }
            }
        }
        let resumed = !run.record().steps.is_empty();
        let deadline = driver.deadline(&run);
        driver.audit_begun(resumed, deadline).await;
        driver.audit_decided(&run, &decisions).await;
        for decided in decisions {
            run.apply(&plan, decided, &mut &driver.listeners);
        }
        let (agent, (provider, model)) = (self.agent.name.as_deref(), self.agent.model_names());
        let span = spans::invoke_agent(agent, provider, model, run.id(), resumed);
        let toolbox = &self.agent.toolbox;
        let redact = toolbox.content();
        spans::given(&span, self.agent.system.as_deref(), run.conversation(), toolbox.definitions(), redact);
        let ended = driver.drive(run).instrument(span.clone()).await;
        match &ended {
            Ok(ended) => {
                let answer = ended.value.as_deref().unwrap_or(&ended.text);
                spans::invoked(&span, &ended.record, None, Some(answer), redact);
            }
            Err(error) => spans::invoked(&span, error.record(), Some(error.kind()), error.text(), redact),
        }
        let ended = ended?;
        answer(finish.as_ref(), ended)
    }
}

fn plan<S>(
    agent: &Inner<S>,
    limits: Option<Limits>,
    finish: Option<&FinishTool>,
    checks_answer: bool,
) -> Result<Arc<Plan>, String> {
    if limits.is_none() && finish.is_none() && !checks_answer {
        return Ok(agent.plan.clone());
    }
    let mut plan = Plan::clone(&agent.plan);
    if let Some(limits) = limits {
        limits.check().map_err(|invalid| invalid.to_string())?;
        if plan.tools.iter().any(|tool| tool.mutating) {
            limits.check_effects().map_err(|invalid| invalid.to_string())?;
        }
        plan.limits = limits;
    }
    plan.finish = finish.map(|finish| finish.definition.name().to_owned());
    plan.finish_fingerprint = finish.map(FinishTool::fingerprint);
    let asked = finish.map_or(0, |finish| built::size(&plan, &finish.definition));
    plan.fixed_size = plan.fixed_size.saturating_add(asked);
    plan.checks_answer = checks_answer;
    Ok(Arc::new(plan))
}

fn invalid(what: String) -> RunError {
    RunError::new(RunErrorKind::Invalid { what }, Record::default(), None, None)
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

impl<S: Send + Sync + 'static, T: Send + Unpin + 'static> IntoFuture for RunBuilder<S, T> {
    type Output = Result<Answer<T>, RunError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.go(None))
    }
}

impl<S, T> fmt::Debug for RunBuilder<S, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RunBuilder").field("caller", &self.caller).finish_non_exhaustive()
    }
}
