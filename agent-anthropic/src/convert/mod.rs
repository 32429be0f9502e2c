//! Between the wire and the core; nothing else knows both.

mod assemble;
mod block;
mod echo;
mod names;
mod paused;
mod request;
mod said;
mod usage;

pub(crate) use assemble::{Assembler, Unfit};
pub(crate) use paused::Paused;
pub(crate) use request::body;

/// The format's name, under which messages keep their wire form and their [`Echo`](agent_core::model::Echo).
pub(crate) const FORMAT: &str = "anthropic";

/// The name of the same format without what servers want to see again.
const BARE: &str = "anthropic, bare";

/// The name of the format of tools for a model that is held to their schemas.
const STRICT: &str = "anthropic, strict";
