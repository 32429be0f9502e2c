//! The JSON of chat completions, as it is on the wire. No logic.

pub(crate) mod completion;
pub(crate) mod request;
