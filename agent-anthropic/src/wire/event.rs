//! An event of a stream.
//!
//! All of it borrows from the event: of most no more is kept than a few letters.

use agent_http::lenient::{Count, Obj, Raw, Str};
use agent_http::object;

use super::message::{Message, Usage};

object! {
    pub(crate) struct Event<'a> {
        r#type: Str<'a> = "type",
        index: Count = "index",
        message: Obj<Message<'a>> = "message",
        content_block: Raw<'a> = "content_block",
        delta: Raw<'a> = "delta",
        usage: Obj<Usage> = "usage",
        error: Raw<'a> = "error",
    }
}

object! {
    /// What a block goes on with; a piece of another kind is kept as it came.
    pub(crate) struct Piece<'a> {
        r#type: Str<'a> = "type",
        text: Str<'a> = "text",
        thinking: Str<'a> = "thinking",
        partial_json: Str<'a> = "partial_json",
    }
}
