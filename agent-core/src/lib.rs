//! Typed tools for language models.

mod agent;
pub mod arguments;
pub mod dispatch;
pub mod idempotency;
pub mod model;
pub mod run;
pub mod schema;
mod security;
#[cfg(feature = "test-util")]
pub mod testing;
mod tool;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

pub use agent::{
    Agent, Answer, BuildError, Builder, Compactor, CostLimit, InvalidLimit, Limits, NextTurn, Observer, Prices,
    RunBuilder, RunError, RunEvent, RunEvents, StepHook,
};
pub use dispatch::{Dispatch, Observation, Status, ToolResult, Toolbox};
pub use run::{Approver, Decision, Event, LimitKind, OnDenied, OnLimit, RunErrorKind, Window};
pub use schema::{ToolSchema, profile};
pub use security::{Access, Authorizer, Denied, RoleAuthorizer, SecurityContext};
#[cfg(feature = "jsonschema")]
pub use tool::DynamicTool;
pub use tool::{
    BusinessError, CallContext, Duplicates, Effect, Offer, OrFatal, Provide, Tool, ToolError, ToolFacts, ToolSpec,
    Tools,
};

#[doc = include_str!("../docs/state.md")]
pub use agent_macros::State;
#[doc = include_str!("../docs/tool_error.md")]
pub use agent_macros::ToolError;
#[doc = include_str!("../docs/tool_schema.md")]
pub use agent_macros::ToolSchema;
#[doc = include_str!("../docs/tool.md")]
pub use agent_macros::tool;
#[doc = include_str!("../docs/tools.md")]
pub use agent_macros::tools;
