//! The fields of a request that are the same for each.

use serde::Serialize;
use serde_json::{Value, json};

use super::Builder;

/// Fields of the request, sent as they are given here.
impl Builder {
    /// How freely the model chooses its words, from 0 to 1.
    pub fn temperature(self, temperature: f64) -> Self {
        self.extra("temperature", temperature)
    }

    /// The share of the likeliest words that it chooses from, from 0 to 1.
    pub fn top_p(self, share: f64) -> Self {
        self.extra("top_p", share)
    }

    /// How many of the likeliest words it chooses from.
    pub fn top_k(self, words: u32) -> Self {
        self.extra("top_k", words)
    }

    /// Texts at which the model stops.
    pub fn stop(self, stop: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let stop: Vec<String> = stop.into_iter().map(Into::into).collect();
        self.extra("stop_sequences", stop)
    }

    /// Lets the model think before it answers, in up to so many tokens; the server wants at least 1024.
    ///
    /// They are part of [`max_tokens`](Self::max_tokens), which grows by as much where it is not set.
    pub fn thinking_budget(self, tokens: u32) -> Self {
        self.extra("thinking", json!({"type": "enabled", "budget_tokens": tokens}))
    }

    /// The tier of service: `auto`, `standard_only`.
    pub fn service_tier(self, tier: impl Into<String>) -> Self {
        self.extra("service_tier", tier.into())
    }

    /// Who asks, so that the provider can tell one person's abuse from another's; a hash, never a name.
    pub fn user_id(self, id: impl Into<String>) -> Self {
        self.extra("metadata", json!({"user_id": id.into()}))
    }

    /// Any other field of the request. The last value given for a name counts.
    ///
    /// A value that is no JSON, such as a map with keys that are no text, becomes null.
    pub fn extra(mut self, name: impl Into<String>, value: impl Serialize) -> Self {
        self.fields.insert(name.into(), serde_json::to_value(value).unwrap_or_default());
        self
    }

    /// A tool that runs at the server, such as `json!({"type": "web_search_20250305", "name": "web_search"})`.
    ///
    /// What it does is part of the reply and goes back with it; it is no call of the agent's tools.
    pub fn server_tool(mut self, tool: Value) -> Self {
        self.server_tools.push(tool);
        self
    }
}
