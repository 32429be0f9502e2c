//! Typed tools for language models.

mod agent;
pub mod arguments;
pub mod dispatch;
pub mod idempotency;
pub mod model;
pub mod run;
pub mod run_store;
pub mod schema;
mod security;
#[cfg(feature = "test-util")]
pub mod testing;
mod tool;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

pub use agent::{
    Agent, Answer, BuildError, Builder, CostLimit, InvalidLimit, Limits, Observer, Prices, RunBuilder, RunError,
};
pub use agent_macros::{State, ToolError, ToolSchema, tool, tools};
pub use dispatch::{Dispatch, Observation, Status, ToolResult, Toolbox};
pub use run::{Event, LimitKind, OnDenied, OnLimit, RunErrorKind};
pub use schema::{ToolSchema, profile};
pub use security::{Access, Authorizer, Denied, RoleAuthorizer, SecurityContext};
pub use tool::{
    BusinessError, CallContext, Duplicates, Effect, Offer, OrFatal, Provide, Tool, ToolError, ToolSpec, Tools,
};
