//! One call, from the model's text to its result: the gates in order, then the effect.

mod effect;
mod gates;
mod observation;
mod outcome;
mod ran;
mod read;
mod reads;
mod result;
mod running;
mod toolbox;

pub use gates::{Admitted, Verdict};
pub(crate) use gates::{Gated, invalid_arguments, unknown};
pub use observation::Observation;
pub(crate) use observation::beginning;
pub(crate) use outcome::{cut, held_back, internal_failure, sentence};
#[cfg(feature = "jsonschema")]
pub(crate) use reads::Reads;
pub(crate) use reads::{ByShape, Schema};
pub use result::{ErrorBody, Metadata, Status, ToolResult, code};
pub(crate) use toolbox::Entry;
pub(crate) use toolbox::after;
pub use toolbox::{CallLimits, Dispatch, Toolbox};
