//! One call, from the model's text to its result: the gates in order, then the effect.

mod effect;
mod gates;
mod observation;
mod read;
mod result;
mod running;
mod toolbox;

pub(crate) use gates::{Verdict, invalid_arguments, unknown};
pub use observation::Observation;
pub use result::{ErrorBody, Metadata, Status, ToolResult, code};
pub(crate) use toolbox::after;
pub use toolbox::{CallLimits, Dispatch, Toolbox};
