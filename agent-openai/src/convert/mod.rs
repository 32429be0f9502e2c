//! Between the wire and the core; nothing else knows both.

mod assemble;
mod call;
mod content;
mod echo;
mod request;
mod usage;

pub(crate) use assemble::{Assembler, Unfit};
pub(crate) use request::body;

/// The format's name, under which messages keep their wire form and their [`Echo`](agent_core::model::Echo).
pub(crate) const FORMAT: &str = "openai";

/// The name of the same format without what servers want to see again.
const BARE: &str = "openai, bare";

/// The name of the format of tools for servers that do not take `strict`.
const NOT_STRICT: &str = "openai, not strict";
