//! The JSON of chat completions, as it is on the wire. No logic but to read what servers get wrong.

pub(crate) mod completion;
pub(crate) mod json;
pub(crate) mod lenient;
pub(crate) mod request;
