//! From parts to an agent.

use std::collections::HashSet;
use std::sync::Arc;

use super::built;
use super::limits::InvalidLimit;
use super::{Agent, Compactor, Inner, Limits, Observer, StepHook};
use crate::arguments::SchemaError;
use crate::audit::{AuditSink, Auditor, OnAuditFailure};
use crate::dispatch::{Entry, Observation, Toolbox};
use crate::idempotency::{IdempotencyStore, MemoryStore};
use crate::model::{Model, ToolDefinition};
use crate::run::{Approver, LimitKind, OnDenied, OnLimit, Plan, TokenCounter, Window};
use crate::run_store::RunStore;
use crate::schema::{Profile, refused_by};
use crate::security::Authorizer;
use crate::telemetry::{Redact, SharedRedact};
use crate::tool::{Offer, Offered};

/// An agent that is being put together.
#[must_use = "an agent exists after `.build()`"]
pub struct Builder<S = (), L = ()> {
    model: Box<dyn Model>,
    system: Option<String>,
    tools: L,
    state: Arc<S>,
    plan: Plan,
    /// None: a memory store of its own.
    store: Option<Arc<dyn IdempotencyStore>>,
    run_store: Option<Arc<dyn RunStore>>,
    authorizer: Option<Arc<dyn Authorizer>>,
    observer: Option<Arc<dyn Observer>>,
    approver: Option<Arc<dyn Approver>>,
    compactor: Option<Arc<dyn Compactor>>,
    hook: Option<Arc<dyn StepHook>>,
    offer_permitted: bool,
    name: Option<String>,
    content: Option<SharedRedact>,
    audit: Option<Arc<dyn AuditSink>>,
    on_audit_failure: OnAuditFailure,
}

impl Builder {
    pub(super) fn new(model: Box<dyn Model>) -> Self {
        Self {
            model,
            system: None,
            tools: (),
            state: Arc::new(()),
            plan: Plan::new(Vec::new(), Limits::default()),
            store: None,
            run_store: None,
            authorizer: None,
            observer: None,
            approver: None,
            compactor: None,
            hook: None,
            offer_permitted: false,
            name: None,
            content: None,
            audit: None,
            on_audit_failure: OnAuditFailure::default(),
        }
    }
}

impl<S, L> Builder<S, L> {
    /// The system text.
    pub fn system(mut self, text: impl Into<String>) -> Self {
        self.system = Some(text.into());
        self
    }

    /// Adds tools: `.tools(tools![calculate_tax, record_invoice])`.
    pub fn tools<T>(self, tools: T) -> Builder<S, (L, T)> {
        self.with(|mine, state| ((mine, tools), state))
    }

    /// Adds one tool, such as a `DynamicTool` (feature `jsonschema`).
    pub fn tool<T>(self, tool: T) -> Builder<S, (L, T)> {
        self.tools(tool)
    }

    /// What the tools may borrow; replaces what was set before.
    pub fn state<T>(self, state: T) -> Builder<T, L> {
        self.shared_state(Arc::new(state))
    }

    /// What the tools may borrow, shared with others; replaces what was set before.
    pub fn shared_state<T>(self, state: Arc<T>) -> Builder<T, L> {
        self.with(|tools, _| (tools, state))
    }

    /// The same with other tools or another state, which changes its type.
    fn with<T, M>(self, change: impl FnOnce(L, Arc<S>) -> (M, Arc<T>)) -> Builder<T, M> {
        let (tools, state) = change(self.tools, self.state);
        Builder {
            model: self.model,
            system: self.system,
            tools,
            state,
            plan: self.plan,
            store: self.store,
            run_store: self.run_store,
            authorizer: self.authorizer,
            observer: self.observer,
            approver: self.approver,
            compactor: self.compactor,
            hook: self.hook,
            offer_permitted: self.offer_permitted,
            name: self.name,
            content: self.content,
            audit: self.audit,
            on_audit_failure: self.on_audit_failure,
        }
    }

    /// The bounds of each run.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.plan.limits = limits;
        self
    }

    /// Who keeps the claims of mutating calls. Default: a [`MemoryStore`], which forgets when the process ends.
    ///
    /// Give an [`Arc`] of the store to keep a handle on it, for its operators. The default one is
    /// [`Agent::memory_store`].
    pub fn store(mut self, store: impl IdempotencyStore + 'static) -> Self {
        self.store = Some(Arc::new(store));
        self
    }

    /// Who keeps runs, saved after each step. Default: nobody; then a run ends with its process.
    ///
    /// With mutating tools, [`store`](Self::store) is to be given as well: claims in memory would be forgotten with the
    /// process, and a run that another one takes up would make its calls once more.
    pub fn run_store(mut self, store: impl RunStore + 'static) -> Self {
        self.run_store = Some(Arc::new(store));
        self
    }

    /// Who decides which caller may use which tool. Default: [`RoleAuthorizer`](crate::RoleAuthorizer).
    pub fn authorizer(mut self, authorizer: impl Authorizer + 'static) -> Self {
        self.authorizer = Some(Arc::new(authorizer));
        self
    }

    /// The form in which the model is shown results.
    pub fn observation(mut self, observation: Observation) -> Self {
        self.plan.observation = observation;
        self
    }

    /// What a bound does to the run.
    pub fn on_limit(mut self, limit: LimitKind, then: OnLimit) -> Self {
        self.plan.on_limit.insert(limit, then);
        self
    }

    /// What a call that the caller may not make does to the run.
    pub fn on_denied(mut self, then: OnDenied) -> Self {
        self.plan.on_denied = then;
        self
    }

    /// Who is told what happens in runs.
    pub fn observer(mut self, observer: impl Observer + 'static) -> Self {
        self.observer = Some(Arc::new(observer));
        self
    }

    /// Who decides on calls of tools that ask for approval. Without one, such calls suspend the run.
    pub fn approver(mut self, approver: impl Approver + 'static) -> Self {
        self.approver = Some(Arc::new(approver));
        self
    }

    /// The agent's name, for spans.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Turns content on in spans: what this makes of messages, the system text, definitions of tools, arguments and results
    /// is in attributes, each of a bounded size. Default: off.
    pub fn trace_content(mut self, redact: impl Redact + 'static) -> Self {
        self.content = Some(Arc::new(redact));
        self
    }

    /// Who keeps a record of each decision. Default: nobody.
    ///
    /// Once a record of a run was not taken, no mutating call of that run begins, as far as this agent knows; see
    /// [`on_audit_failure`](Self::on_audit_failure). A run whose future is dropped has no record of its end.
    pub fn audit(mut self, sink: impl AuditSink + 'static) -> Self {
        self.audit = Some(Arc::new(sink));
        self
    }

    /// What a run does once its audit has not taken a record.
    pub fn on_audit_failure(mut self, then: OnAuditFailure) -> Self {
        self.on_audit_failure = then;
        self
    }

    /// How long the conversation may become before older parts make room. Default: no bound of ours.
    pub fn window(mut self, window: Window) -> Self {
        self.plan.window = Some(window);
        self
    }

    /// Who counts tokens where no server has: for windows, and for budgets with a server that sends no usage.
    /// Default: four bytes are about a token.
    pub fn token_counter(mut self, counter: impl TokenCounter + 'static) -> Self {
        self.plan.counter = Some(Arc::new(counter));
        self
    }

    /// Who sums up the older part of a conversation that has grown too long. Default: the model itself.
    pub fn compactor(mut self, compactor: impl Compactor + 'static) -> Self {
        self.compactor = Some(Arc::new(compactor));
        self
    }

    /// Who looks at a run before each turn, and says what the model may do in it.
    pub fn step_hook(mut self, hook: impl StepHook + 'static) -> Self {
        self.hook = Some(Arc::new(hook));
        self
    }

    /// Offers the model only the tools that the caller may use. Calls are checked all the same.
    pub fn offer_permitted_only(mut self) -> Self {
        self.offer_permitted = true;
        self
    }

    /// Tells the model when only one turn is left after the present one.
    pub fn notice_before_last_cycle(mut self) -> Self {
        self.plan.notice = true;
        self
    }

    /// The agent, with every tool checked against what the model's provider takes.
    ///
    /// # Errors
    ///
    /// [`BuildError`] names the tool and the rule, or the limit, that stands in the way.
    pub fn build(self) -> Result<Agent<S>, BuildError>
    where
        S: Send + Sync + 'static,
        L: Offer<S>,
    {
        self.plan.limits.check()?;
        if self.plan.window.is_some_and(|window| !window.is_valid()) {
            return Err(BuildError::Window);
        }
        let mut offered = Vec::new();
        self.tools.offer(&mut offered);
        unique_names(&offered)?;
        say_who_may(&offered)?;
        if self.run_store.is_some() && self.store.is_none() {
            keep_claims(&offered)?;
        }
        let profiles = self.model.profiles();
        let mut tools = Vec::with_capacity(offered.len());
        for tool in offered {
            let name = tool.facts.name.to_string();
            tools.push(built::entry(tool).map_err(|source| BuildError::Schema { tool: name, source })?);
        }
        if tools.iter().any(|tool| tool.facts.effect.is_mutating()) {
            self.plan.limits.check_effects()?;
        }
        check_profiles(&tools, profiles)?;
        let definitions: Vec<_> = tools.iter().map(|tool| built::definition(tool, profiles)).collect();
        let mut plan = self.plan;
        plan.tools = tools.iter().map(built::planned).collect();
        plan.fixed_size = fixed_size(&plan, self.system.as_deref(), &definitions);
        let on_failure = self.on_audit_failure;
        let auditor = self.audit.map(|sink| Arc::new(Auditor::new(sink, on_failure)));
        let toolbox = Toolbox::new(tools, definitions, self.authorizer, auditor, self.content);
        let (store, memory_store) = match self.store {
            Some(store) => (store, None),
            None => {
                let store = Arc::new(MemoryStore::new());
                (store.clone() as Arc<dyn IdempotencyStore>, Some(store))
            }
        };
        let inner = Inner {
            model: self.model,
            system: self.system,
            toolbox,
            state: self.state,
            store,
            memory_store,
            run_store: self.run_store,
            plan: Arc::new(plan),
            observer: self.observer,
            approver: self.approver,
            compactor: self.compactor,
            hook: self.hook,
            offer_permitted: self.offer_permitted,
            name: self.name,
        };
        Ok(Agent { inner: Arc::new(inner) })
    }
}

fn unique_names<S>(offered: &[Offered<S>]) -> Result<(), BuildError> {
    let mut names = HashSet::new();
    match offered.iter().find(|tool| !names.insert(&tool.facts.name)) {
        Some(again) => Err(BuildError::DuplicateTool { tool: again.facts.name.to_string() }),
        None => Ok(()),
    }
}

fn say_who_may<S>(offered: &[Offered<S>]) -> Result<(), BuildError> {
    let open = |tool: &&Offered<S>| {
        let facts = &tool.facts;
        facts.effect.is_mutating() && facts.permission.is_none() && !facts.unrestricted
    };
    match offered.iter().find(open) {
        Some(tool) => Err(BuildError::Unprotected { tool: tool.facts.name.to_string() }),
        None => Ok(()),
    }
}

/// A run that outlives its process needs claims that do: taken up without them, it would make its calls once more.
fn keep_claims<S>(offered: &[Offered<S>]) -> Result<(), BuildError> {
    match offered.iter().find(|tool| tool.facts.effect.is_mutating()) {
        Some(tool) => Err(BuildError::ClaimsNotKept { tool: tool.facts.name.to_string() }),
        None => Ok(()),
    }
}

fn check_profiles<S>(tools: &[Entry<S>], profiles: &[&'static Profile]) -> Result<(), BuildError> {
    if profiles.is_empty() {
        return Err(BuildError::NoProfile);
    }
    let asked: Vec<_> = tools.iter().map(built::asked).collect();
    for profile in profiles {
        if let Some(refused) = refused_by(&asked, profile) {
            return Err(BuildError::Refused { profile: profile.name, what: refused });
        }
    }
    Ok(())
}

fn fixed_size(plan: &Plan, system: Option<&str>, definitions: &[ToolDefinition]) -> u64 {
    let tools = definitions.iter().fold(0_u64, |sum, tool| sum.saturating_add(built::size(plan, tool)));
    system.map_or(0, |system| plan.size(system)).saturating_add(tools)
}

/// Why there is no agent.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// A limit is zero.
    #[error(transparent)]
    Limit(#[from] InvalidLimit),
    /// The window leaves no room for a conversation.
    #[error(
        "the window leaves no room: `compact_at` of `tokens` must be more than `reserve`, and `compact_at` at most 1"
    )]
    Window,
    /// A tool that changes something does not say who may call it.
    #[error("the mutating tool `{tool}` does not say who may call it; give it a permission, or say `unrestricted`")]
    Unprotected {
        /// The tool.
        tool: String,
    },
    /// Runs are kept in a store, and nobody was named to keep the claims of their mutating calls.
    #[error(
        "runs are kept, and the claims of `{tool}` would be forgotten with the process, so that a run which is taken up \
         could have its effect twice; give `Builder::store` the same database, or a `MemoryStore` where the runs are kept \
         in memory too"
    )]
    ClaimsNotKept {
        /// The first mutating tool.
        tool: String,
    },
    /// Two tools have one name.
    #[error("two tools are named `{tool}`; give it once, or one of them another name with `#[tool(name = \"..\")]`")]
    DuplicateTool {
        /// The name.
        tool: String,
    },
    /// The model names no profile.
    #[error("the model's `profiles()` is empty; an adapter names at least one")]
    NoProfile,
    /// The model's provider would refuse a tool.
    #[error("{profile} would refuse the tools: {what}")]
    Refused {
        /// The provider's profile.
        profile: &'static str,
        /// The tool and the rule.
        what: String,
    },
    /// A tool's schema contradicts itself.
    #[error("the schema of the tool `{tool}` cannot be used")]
    Schema {
        /// The tool.
        tool: String,
        /// Why.
        source: SchemaError,
    },
}
