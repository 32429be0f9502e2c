//! Tools that are known only at run time.

use std::borrow::Cow;
use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::Value;

use super::list::Body as ToolBody;
use super::{Asking, CallContext, Duplicates, Effect, Offer, Offered, Prepared, Running, ToolError, ToolFacts};
use crate::arguments::{Digest, Invalid, JsonValidator, Problem, SchemaError, parse_arguments};
use crate::dispatch::Reads;
use crate::tool::Outcome;

/// A tool that is known only at run time: one of an MCP server, or made from a configuration.
///
/// Its arguments are held to its JSON Schema as it stands, which is also what the model is shown; the provider is not
/// asked to hold the model to it, since a schema of anywhere may say what a strict mode refuses.
///
/// ```
/// use agent_core::testing::ScriptedModel;
/// use agent_core::{Agent, DynamicTool};
/// use serde_json::json;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let schema = json!({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]});
/// let weather = DynamicTool::new("weather", "Says how the weather is.", schema, |_state, arguments, _call| async move {
///     Ok(json!({"city": arguments["city"], "sun": true}))
/// })?
/// .permission("weather:read");
/// let agent = Agent::builder(ScriptedModel::new([])).tool(weather).build()?;
/// # Ok(())
/// # }
/// ```
pub struct DynamicTool<S = ()> {
    facts: ToolFacts,
    body: Body<S>,
}

/// Runs a call with its arguments.
type Run<S> = dyn Fn(Arc<S>, Value, CallContext) -> Running + Send + Sync;

/// What a tool does, and what its arguments are held to.
pub(crate) struct Body<S> {
    text: Arc<str>,
    validator: Arc<JsonValidator>,
    run: Arc<Run<S>>,
}

impl<S> Clone for Body<S> {
    fn clone(&self) -> Self {
        Self { text: self.text.clone(), validator: self.validator.clone(), run: self.run.clone() }
    }
}

impl<S> Clone for DynamicTool<S> {
    fn clone(&self) -> Self {
        Self { facts: self.facts.clone(), body: self.body.clone() }
    }
}

impl<S: Send + Sync + 'static> DynamicTool<S> {
    /// A tool that only reads, open to every caller.
    ///
    /// # Errors
    ///
    /// A schema that is not one of an object, or that cannot be used: a broken keyword, a pattern with look-around, a
    /// reference to a schema elsewhere. Whether the name is one that the model's provider takes is asked by `build()`.
    pub fn new<T, F>(
        name: impl Into<Cow<'static, str>>,
        description: impl Into<Cow<'static, str>>,
        schema: Value,
        run: impl Fn(Arc<S>, Value, CallContext) -> F + Send + Sync + 'static,
    ) -> Result<Self, SchemaError>
    where
        T: Serialize,
        F: Future<Output = Result<T, ToolError>> + Send + 'static,
    {
        let name = name.into();
        let fail = |reason: String| SchemaError { path: name.to_string(), reason };
        if schema.get("type").and_then(Value::as_str) != Some("object") {
            return Err(fail("the schema of arguments has `\"type\": \"object\"`".to_owned()));
        }
        let validator = JsonValidator::new(&schema).map_err(fail)?;
        let run = Arc::new(run);
        let run = move |state, arguments, call| -> Running {
            let run = run.clone();
            // The closure itself is code of the host, so it too runs on the call's own task.
            Box::pin(async move { Outcome::from_result(run(state, arguments, call).await) })
        };
        Ok(Self {
            facts: ToolFacts {
                name,
                description: description.into(),
                effect: Effect::Read,
                permission: None,
                unrestricted: false,
                timeout: None,
                approval: false,
                max_calls: None,
                retries: 0,
                strict: false,
            },
            body: Body { text: schema.to_string().into(), validator: Arc::new(validator), run: Arc::new(run) },
        })
    }
}

impl<S> DynamicTool<S> {
    /// It changes something: it runs alone, in order, and once. It must then say who may call it, with
    /// [`permission`](Self::permission) or [`unrestricted`](Self::unrestricted). A second call with the same arguments in one run is
    /// given the first result.
    #[must_use]
    pub fn mutating(self) -> Self {
        self.mutates(Duplicates::Replay)
    }

    /// It changes something, and a second call with the same arguments is another call.
    #[must_use]
    pub fn mutating_each_time(self) -> Self {
        self.mutates(Duplicates::Allow)
    }

    fn mutates(mut self, duplicates: Duplicates) -> Self {
        self.facts.effect = Effect::Mutating { duplicates, keyed: false, reconciles: false };
        self
    }

    /// Anyone may use it, though it changes something.
    #[must_use]
    pub fn unrestricted(mut self) -> Self {
        self.facts.unrestricted = true;
        self
    }

    /// Only a caller with this role may use it.
    #[must_use]
    pub fn permission(mut self, role: impl Into<Cow<'static, str>>) -> Self {
        self.facts.permission = Some(role.into());
        self
    }

    /// A person must approve each call.
    #[must_use]
    pub fn approval(mut self) -> Self {
        self.facts.approval = true;
        self
    }

    /// Its own time limit, in place of `Limits::tool_timeout`.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.facts.timeout = Some(timeout);
        self
    }

    /// How often it may be called in one run.
    #[must_use]
    pub fn max_calls(mut self, calls: u32) -> Self {
        self.facts.max_calls = Some(calls);
        self
    }

    /// How often a transient fault is tried again; a mutating tool is not.
    #[must_use]
    pub fn retries(mut self, retries: u32) -> Self {
        self.facts.retries = retries;
        self
    }
}

impl<S> Offer<S> for DynamicTool<S> {
    fn offer(&self, into: &mut Vec<Offered<S>>) {
        into.push(Offered { facts: self.facts.clone(), body: ToolBody::Dynamic(self.body.clone()) });
    }
}

/// As many as there are.
impl<S> Offer<S> for Vec<DynamicTool<S>> {
    fn offer(&self, into: &mut Vec<Offered<S>>) {
        self.iter().for_each(|tool| tool.offer(into));
    }
}

impl<S> Body<S> {
    /// The schema, as it was given.
    pub(crate) fn schema_text(&self) -> Arc<str> {
        self.text.clone()
    }
}

impl<S: Send + Sync + 'static> Reads<S> for Body<S> {
    fn read(&self, arguments: &str) -> Result<(Digest, Prepared<S>), Invalid> {
        let tree = parse_arguments(arguments).map_err(Invalid::Malformed)?;
        let tree = tree.sorted().map_err(|unclear| Invalid::Problems(vec![Problem::unclear(unclear)]))?;
        let value = tree.to_value();
        let problems = self.validator.problems(&value);
        if !problems.is_empty() {
            return Err(Invalid::Problems(problems));
        }
        let run = self.run.clone();
        Ok((Digest::of_tree(&tree), Box::new(move |state, call| run(state, value, call))))
    }

    fn may_take_long(&self) -> bool {
        true
    }

    fn question(&self, _: &str) -> Option<Asking<S>> {
        None
    }
}

impl<S> fmt::Debug for Body<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Body").field("schema", &self.text).finish_non_exhaustive()
    }
}

impl<S> fmt::Debug for DynamicTool<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DynamicTool").field("facts", &self.facts).finish_non_exhaustive()
    }
}
