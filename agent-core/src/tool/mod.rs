//! Tools: what a function becomes when it is annotated.

mod context;
#[cfg(feature = "jsonschema")]
pub(crate) mod dynamic;
mod error;
mod list;
mod returned;
mod spec;
mod state;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use crate::arguments::{Arguments, Problem};

pub use context::CallContext;
pub(crate) use context::{CallEnd, EndOnDrop, Inner as CallContextInner, ProgressSink};
#[cfg(feature = "jsonschema")]
pub use dynamic::DynamicTool;
pub use error::{BusinessError, OrFatal, ToolError};
pub(crate) use list::{Body, Offered, Typed};
pub use list::{Offer, Tools};
pub use returned::{Outcome, Reconciled, Returned, ReturnsValue};
pub use spec::{Duplicates, Effect, ToolFacts, ToolSpec};
pub use state::Provide;

/// A tool, as the struct that `#[tool]` puts beside the function.
///
/// Implemented by the macro only.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool",
    label = "put `#[tool]` on an async function, and list that"
)]
pub trait Tool: Copy + Send + Sync + 'static {
    /// What the attribute says of it.
    const SPEC: &'static ToolSpec;
}

/// The running of a tool, boxed.
pub type Running = Pin<Box<dyn Future<Output = Outcome> + Send>>;

/// A tool with its arguments in hand: everything that can be wrong with them is behind it.
pub type Prepared<S> = Box<dyn FnOnce(Arc<S>, CallContext) -> Running + Send>;

/// Asks whether a call that was cut short has happened, and with which outcome; none where it has not.
pub type Asked = Pin<Box<dyn Future<Output = Option<Outcome>> + Send>>;

/// A tool's `reconcile` function with its arguments in hand.
pub type Asking<S> = Box<dyn FnOnce(Arc<S>, CallContext) -> Asked + Send>;

/// A tool that an agent with state `S` can call.
///
/// Implemented by the macro, for every state that holds what the tool borrows.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tool",
    label = "put `#[tool]` on an async function, and list that"
)]
pub trait Callable<S>: Tool {
    /// Reads the arguments into the function's own types.
    ///
    /// # Errors
    ///
    /// A problem where a value passes the schema and is refused by its type.
    fn prepare(arguments: &Arguments<'_>) -> Result<Prepared<S>, Problem>;

    /// Reads the arguments for the function that tells whether a call has happened; none where the tool has none.
    ///
    /// # Errors
    ///
    /// As for [`prepare`](Self::prepare).
    fn reconcile(_: &Arguments<'_>) -> Result<Option<Asking<S>>, Problem> {
        Ok(None)
    }
}
