//! A reply.

use agent_http::lenient::{Count, Obj, Raw, Str};
use agent_http::object;

object! {
    pub(crate) struct Message<'a> {
        id: Str<'a> = "id",
        model: Str<'a> = "model",
        /// A list of blocks, each of which is kept as it came.
        content: Raw<'a> = "content",
        stop_reason: Str<'a> = "stop_reason",
        usage: Obj<Usage> = "usage",
        /// Where code ran at the server, to be named in the next request.
        container: Obj<Container<'a>> = "container",
        error: Raw<'a> = "error",
    }
}

object! {
    pub(crate) struct Container<'a> {
        id: Str<'a> = "id",
    }
}

object! {
    pub(crate) struct Usage {
        input_tokens: Count = "input_tokens",
        cache_creation_input_tokens: Count = "cache_creation_input_tokens",
        cache_read_input_tokens: Count = "cache_read_input_tokens",
        output_tokens: Count = "output_tokens",
    }
}

object! {
    /// What of a call must stay the text that it is.
    pub(crate) struct Called<'a> {
        input: Raw<'a> = "input",
    }
}
