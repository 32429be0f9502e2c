//! A reply, whole or as one chunk of a stream: the two differ in where the message stands.
//!
//! All of it borrows from the body: of most chunks no more is kept than a few letters.

use agent_http::lenient::{Count, List, Obj, Raw, Str};
use agent_http::object;

object! {
    pub(crate) struct Completion<'a> {
        id: Str<'a> = "id",
        model: Str<'a> = "model",
        choices: Option<List<Obj<Choice<'a>>>> = "choices",
        usage: Obj<Usage> = "usage",
        /// Groq, while streaming.
        x_groq: Obj<Groq> = "x_groq",
        error: Raw<'a> = "error",
    }
}

object! {
    pub(crate) struct Groq {
        usage: Obj<Usage> = "usage",
    }
}

object! {
    pub(crate) struct Choice<'a> {
        index: Count = "index",
        message: Obj<Message<'a>> = "message",
        delta: Obj<Message<'a>> = "delta",
        finish_reason: Str<'a> = "finish_reason",
        /// Moonshot, while streaming.
        usage: Obj<Usage> = "usage",
        error: Raw<'a> = "error",
    }
}

object! {
    pub(crate) struct Message<'a> {
        content: Raw<'a> = "content",
        refusal: Str<'a> = "refusal",
        tool_calls: List<Obj<ToolCall<'a>>> = "tool_calls",
        function_call: Obj<Function<'a>> = "function_call",
        // Reasoning under its several names included.
        ..other without "role"
    }
}

object! {
    pub(crate) struct ToolCall<'a> {
        index: Count = "index",
        id: Str<'a> = "id",
        function: Obj<Function<'a>> = "function",
        ..other without "type"
    }
}

object! {
    pub(crate) struct Function<'a> {
        name: Str<'a> = "name",
        arguments: Raw<'a> = "arguments",
    }
}

object! {
    pub(crate) struct Usage {
        prompt_tokens: Count = "prompt_tokens",
        completion_tokens: Count = "completion_tokens",
        /// Moonshot; others have it in the details.
        cached_tokens: Count = "cached_tokens",
        prompt_tokens_details: Obj<PromptDetails> = "prompt_tokens_details",
        completion_tokens_details: Obj<CompletionDetails> = "completion_tokens_details",
    }
}

object! {
    pub(crate) struct PromptDetails {
        cached_tokens: Count = "cached_tokens",
    }
}

object! {
    pub(crate) struct CompletionDetails {
        reasoning_tokens: Count = "reasoning_tokens",
    }
}
