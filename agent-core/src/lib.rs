//! Typed tools for language models.

pub mod arguments;
pub mod model;
pub mod schema;
mod security;
mod tool;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

pub use agent_macros::{State, ToolError, ToolSchema, tool, tools};
pub use schema::{ToolSchema, profile};
pub use security::{Access, Authorizer, Denied, RoleAuthorizer, SecurityContext};
pub use tool::{
    BusinessError, CallContext, Duplicates, Effect, Offer, OrFatal, Provide, Tool, ToolError, ToolSpec, Tools,
};
