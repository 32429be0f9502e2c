//! The JSON of the Messages API, as it is on the wire. No logic.

pub(crate) mod event;
pub(crate) mod message;
pub(crate) mod request;
