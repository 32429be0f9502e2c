//! Ordinary async functions as tools that a language model may call, safely: schemas checked at
//! compile time, arguments validated, callers authorised, effects that happen once, and a loop whose
//! every bound is real.
//!
//! ```
//! use agent_core::model::{Reply, ToolCall};
//! use agent_core::testing::ScriptedModel;
//! use agent_core::{Agent, CallContext, SecurityContext, tool, tools};
//!
//! /// Sends a welcome message to a customer.
//! #[tool(mutating, permission = "mail:send")]
//! async fn welcome(
//!     /// The customer's first name.
//!     #[arg(min_length = 1)]
//!     name: String,
//!     call: &CallContext,
//! ) -> String {
//!     format!("{name} was welcomed on behalf of {}", call.caller().user())
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! // An adapter crate gives the model; this one says what it is told to say.
//! let model = ScriptedModel::new([
//!     Reply::calls([ToolCall::new("call_1", "welcome", r#"{"name":"Ada"}"#)]),
//!     Reply::text("Done."),
//! ]);
//! let agent = Agent::builder(model).tools(tools![welcome]).build()?;
//! let caller = SecurityContext::new("usr_9918", "tenant_uk_01").role("mail:send");
//! let answer = agent.run("Welcome Ada.").caller(caller).id("welcome-ada").await?;
//! assert_eq!(answer.text(), "Done.");
//! # Ok(())
//! # }
//! ```
//!
//! # Where to look
//!
//! | for | see |
//! | --- | --- |
//! | what a function needs to be a tool | [`tool`](macro@tool), [`ToolSchema`](trait@ToolSchema), [`State`] |
//! | what a tool may fail with | [`BusinessError`], [`ToolError`](struct@ToolError) |
//! | the loop and its bounds | [`Agent`], [`Limits`], [`RunErrorKind`] |
//! | one call without the loop | [`Toolbox`], [`Dispatch`] |
//! | what makes an effect happen once | [`idempotency`] |
//! | a run as data, saved and resumed | [`run`] |
//! | a record of every decision | [`audit`] |
//! | writing an adapter | [`model::Model`] |
//! | what each provider takes of a schema | [`profile`] |
//! | tools known only at run time | `DynamicTool` (feature `jsonschema`) |
//! | tests of your own, and a lock on what models are told | `testing` (feature `test-util`) |
//!
//! # Runtime
//!
//! Runs need a tokio runtime with time enabled. On a multi-threaded runtime each call runs on a task of its own from the
//! start, so that a tool that blocks its thread cannot stop the deadline of its run, as long as a thread is left. A runtime
//! of one thread stands still with a tool that blocks, on whatever task that is, so there a call may begin on the task of
//! its run, and gets one of its own once it waits. A panic of a tool stays in its call either way. Which task a tool is on,
//! by `tokio::task::id` or by its `tokio::task_local!` values, is therefore not defined, and may change where it waits;
//! what a tool needs comes with its arguments. Work that blocks belongs in `tokio::task::spawn_blocking`.

mod agent;
pub mod arguments;
pub mod audit;
pub mod dispatch;
mod guest;
pub mod idempotency;
mod lease;
pub mod model;
pub mod run;
pub mod run_store;
pub mod schema;
mod security;
pub mod telemetry;
#[cfg(feature = "test-util")]
pub mod testing;
mod tool;
mod waits;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

pub use agent::{
    Agent, Answer, BuildError, Builder, Cancellation, Compactor, CostLimit, InvalidLimit, Limits, NextTurn, Observer,
    Prices, RunBuilder, RunError, RunEvent, RunEvents, StepHook,
};
pub use dispatch::{Dispatch, Observation, Status, ToolResult, Toolbox};
pub use run::{Approver, Decision, Event, LimitKind, OnDenied, OnLimit, RunErrorKind, TokenCounter, Window};
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
