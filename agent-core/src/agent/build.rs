//! From parts to an agent.

use std::collections::HashSet;
use std::sync::Arc;

use super::limits::InvalidLimit;
use super::{Agent, Inner, Limits, Observer};
use crate::arguments::{SchemaError, Validator};
use crate::dispatch::{Observation, Toolbox};
use crate::idempotency::{IdempotencyStore, MemoryStore};
use crate::model::{Model, ToolDefinition};
use crate::run::{LimitKind, OnDenied, OnLimit, Plan, PlannedTool};
use crate::schema::{Profile, publish, refused_by};
use crate::security::{Authorizer, RoleAuthorizer};
use crate::tool::{Offer, Offered, ToolSpec};

/// An agent that is being put together.
#[must_use = "an agent exists after `.build()`"]
pub struct Builder<S = (), L = ()> {
    model: Box<dyn Model>,
    system: Option<String>,
    tools: L,
    state: Arc<S>,
    plan: Plan,
    store: Arc<dyn IdempotencyStore>,
    authorizer: Arc<dyn Authorizer>,
    observer: Option<Arc<dyn Observer>>,
}

impl Builder {
    pub(super) fn new(model: Box<dyn Model>) -> Self {
        Self {
            model,
            system: None,
            tools: (),
            state: Arc::new(()),
            plan: Plan::new(Vec::new(), Limits::default()),
            store: Arc::new(MemoryStore::new()),
            authorizer: Arc::new(RoleAuthorizer),
            observer: None,
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
        Builder {
            model: self.model,
            system: self.system,
            tools: (self.tools, tools),
            state: self.state,
            plan: self.plan,
            store: self.store,
            authorizer: self.authorizer,
            observer: self.observer,
        }
    }

    /// What the tools may borrow; replaces what was set before.
    pub fn state<T>(self, state: T) -> Builder<T, L> {
        self.shared_state(Arc::new(state))
    }

    /// What the tools may borrow, shared with others; replaces what was set before.
    pub fn shared_state<T>(self, state: Arc<T>) -> Builder<T, L> {
        Builder {
            model: self.model,
            system: self.system,
            tools: self.tools,
            state,
            plan: self.plan,
            store: self.store,
            authorizer: self.authorizer,
            observer: self.observer,
        }
    }

    /// The bounds of each run.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.plan.limits = limits;
        self
    }

    /// Who keeps the claims of mutating calls. Default: a [`MemoryStore`], which forgets when the process ends.
    pub fn store(mut self, store: impl IdempotencyStore + 'static) -> Self {
        self.store = Arc::new(store);
        self
    }

    /// Who decides which caller may use which tool. Default: [`RoleAuthorizer`].
    pub fn authorizer(mut self, authorizer: impl Authorizer + 'static) -> Self {
        self.authorizer = Arc::new(authorizer);
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
        let mut offered = Vec::new();
        self.tools.offer(&mut offered);
        unique_names(&offered)?;
        let profiles = self.model.profiles();
        check_profiles(&offered, profiles)?;
        let mut validators = Vec::with_capacity(offered.len());
        let mut definitions = Vec::with_capacity(offered.len());
        for tool in &offered {
            let spec = tool.spec;
            let validator = Validator::new(spec.arguments.get())
                .map_err(|source| BuildError::Schema { tool: spec.name.to_owned(), source })?;
            validators.push(Arc::new(validator));
            definitions.push(definition(spec, profiles));
        }
        let mut plan = self.plan;
        plan.tools = offered.iter().map(|tool| planned(tool.spec)).collect();
        plan.fixed_bytes = fixed_bytes(self.system.as_deref(), &definitions);
        let toolbox = Toolbox::new(offered, definitions, validators, self.authorizer);
        let inner = Inner {
            model: self.model,
            system: self.system,
            toolbox,
            state: self.state,
            store: self.store,
            plan: Arc::new(plan),
            observer: self.observer,
        };
        Ok(Agent { inner: Arc::new(inner) })
    }
}

fn unique_names<S>(offered: &[Offered<S>]) -> Result<(), BuildError> {
    let mut names = HashSet::new();
    match offered.iter().find(|tool| !names.insert(tool.spec.name)) {
        Some(again) => Err(BuildError::DuplicateTool { tool: again.spec.name.to_owned() }),
        None => Ok(()),
    }
}

fn check_profiles<S>(offered: &[Offered<S>], profiles: &[&'static Profile]) -> Result<(), BuildError> {
    if profiles.is_empty() {
        return Err(BuildError::NoProfile);
    }
    let specs: Vec<_> = offered.iter().map(|tool| tool.spec).collect();
    for profile in profiles {
        if let Some(refused) = refused_by(&specs, profile) {
            return Err(BuildError::Refused { profile: profile.name, what: refused });
        }
    }
    Ok(())
}

fn definition(spec: &'static ToolSpec, profiles: &[&'static Profile]) -> ToolDefinition {
    let published =
        profiles.iter().map(|profile| (*profile, publish(spec.description, spec.arguments.get(), profile))).collect();
    ToolDefinition { name: spec.name.into(), strict: spec.strict, published }
}

fn planned(spec: &ToolSpec) -> PlannedTool {
    let tool = if spec.effect.is_mutating() { PlannedTool::mutating(spec.name) } else { PlannedTool::read(spec.name) };
    tool.max_calls(spec.max_calls)
}

fn fixed_bytes(system: Option<&str>, definitions: &[ToolDefinition]) -> u64 {
    let tools: usize = definitions
        .iter()
        .filter_map(|tool| {
            tool.published.first().map(|(_, text)| tool.name.len() + text.description.len() + text.parameters.len())
        })
        .sum();
    (system.map_or(0, str::len) + tools) as u64
}

/// Why there is no agent.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// A limit is zero.
    #[error(transparent)]
    Limit(#[from] InvalidLimit),
    /// Two tools have one name.
    #[error("two tools are named `{tool}`; give one of them another with `#[tool(name = \"..\")]`")]
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
