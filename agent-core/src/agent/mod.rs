//! Agents: tools, a model and bounds, ready to be run.

mod answer;
mod build;
mod built;
mod cancellation;
mod drive;
mod error;
mod events;
mod finish;
mod hooks;
mod keeper;
mod limits;
mod listeners;
mod observer;
mod start;
mod take_up;

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

pub use answer::Answer;
pub use build::{BuildError, Builder};
pub use cancellation::Cancellation;
pub use error::RunError;
pub use events::{RunEvent, RunEvents};
pub use hooks::{Compactor, NextTurn, StepHook};
pub use limits::{CostLimit, InvalidLimit, Limits, Prices};
pub use observer::Observer;
pub use start::RunBuilder;

use crate::dispatch::Toolbox;
use crate::guest::quiet;
use crate::idempotency::{IdempotencyStore, MemoryStore};
use crate::model::{CallId, Message, Model};
use crate::run::{Approver, Plan, Run};
use crate::run_store::RunStore;

/// Tools, a model and bounds, ready to be run. Clones are handles on the same agent.
///
/// ```
/// use agent_core::testing::ScriptedModel;
/// use agent_core::model::Reply;
/// use agent_core::Agent;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let model = ScriptedModel::new([Reply::text("Good morning.")]);
/// let agent = Agent::builder(model).system("You are polite.").build()?;
/// let answer = agent.run("Say hello.").await?;
/// assert_eq!(answer.text(), "Good morning.");
/// # Ok(())
/// # }
/// ```
pub struct Agent<S = ()> {
    inner: Arc<Inner<S>>,
}

pub(crate) struct Inner<S> {
    pub(crate) model: Box<dyn Model>,
    pub(crate) system: Option<String>,
    pub(crate) toolbox: Toolbox<S>,
    pub(crate) state: Arc<S>,
    pub(crate) store: Arc<dyn IdempotencyStore>,
    /// The same, where it is the one that an agent has by default.
    pub(crate) memory_store: Option<Arc<MemoryStore>>,
    pub(crate) run_store: Option<Arc<dyn RunStore>>,
    pub(crate) plan: Arc<Plan>,
    pub(crate) observer: Option<Arc<dyn Observer>>,
    pub(crate) approver: Option<Arc<dyn Approver>>,
    pub(crate) compactor: Option<Arc<dyn Compactor>>,
    pub(crate) hook: Option<Arc<dyn StepHook>>,
    pub(crate) offer_permitted: bool,
    pub(crate) name: Option<String>,
}

impl<S> Inner<S> {
    /// The provider and the name of the model, which its own code says.
    pub(crate) fn model_names(&self) -> (&str, &str) {
        let said = |name: Option<_>| name.unwrap_or("unknown");
        (said(quiet(|| self.model.provider())), said(quiet(|| self.model.name())))
    }
}

impl Agent {
    /// Begins an agent that asks this model.
    pub fn builder(model: impl Model + 'static) -> Builder {
        Builder::new(Box::new(model))
    }
}

impl<S: Send + Sync + 'static> Agent<S> {
    /// Begins a run: await what this gives, after setting who calls and under which id.
    pub fn run(&self, prompt: impl Into<String>) -> RunBuilder<S> {
        self.run_message(Message::user(prompt))
    }

    /// As [`run`](Self::run), with a message of several parts.
    pub fn run_message(&self, prompt: Message) -> RunBuilder<S> {
        RunBuilder::new(self.inner.clone(), prompt)
    }

    /// Takes up a run that was suspended or saved. It needs its caller anew, since a saved run holds
    /// no rights, and the tools that it began with.
    ///
    /// What does not fit is [`RunErrorKind::NotResumed`](crate::RunErrorKind::NotResumed), which gives the run back and
    /// keeps nobody from it. With a store of runs, so is an old copy: one that has gone on since, by this copy or by
    /// another. Without one nobody can tell; then only its claims keep an effect from happening twice.
    pub fn resume(&self, run: Run) -> RunBuilder<S> {
        RunBuilder::again(self.inner.clone(), run)
    }

    /// What the tools may borrow.
    pub fn state(&self) -> &Arc<S> {
        &self.inner.state
    }

    /// The tools, usable without the loop.
    pub fn toolbox(&self) -> &Toolbox<S> {
        &self.inner.toolbox
    }

    /// What a [`Run`] of this agent goes by, for a driver of one's own; a run with limits or an answer of its own has others.
    ///
    /// A driver does what [`Run::next`] asks for and reports it with [`Run::apply`]: see [`run`](crate::run).
    pub fn plan(&self) -> &Plan {
        &self.inner.plan
    }

    /// The store of claims that the agent has where [`Builder::store`] gave it none, for operators; none where it did.
    ///
    /// ```
    /// use agent_core::idempotency::{ClaimAdmin, StoreError};
    /// # use agent_core::Agent;
    /// # use agent_core::testing::ScriptedModel;
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), StoreError> {
    /// # let agent = Agent::builder(ScriptedModel::new([])).build().unwrap();
    /// if let Some(store) = agent.memory_store() {
    ///     for claim in store.unknown_claims("tenant_1", None, 100).await? {
    ///         println!("{} of run {} may have happened or not", claim.tool, claim.run_id);
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn memory_store(&self) -> Option<&Arc<MemoryStore>> {
        self.inner.memory_store.as_ref()
    }

    /// Waits until no mutating call of this agent is running, for at most this long, and says which
    /// still are. A program waits for it before it ends: a call that dies with its process is unknown.
    pub async fn drain(&self, at_most: Duration) -> Vec<CallId> {
        self.inner.toolbox.drain(at_most).await
    }
}

impl<S> Clone for Agent<S> {
    fn clone(&self) -> Self {
        Self { inner: self.inner.clone() }
    }
}

impl<S> fmt::Debug for Agent<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Agent")
            .field("model", &self.inner.model.name())
            .field("tools", &self.inner.toolbox)
            .field("limits", &self.inner.plan.limits)
            .finish_non_exhaustive()
    }
}
