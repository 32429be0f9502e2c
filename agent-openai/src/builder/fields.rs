//! The fields of a request that are the same for each.

use std::collections::BTreeMap;

use agent_core::schema::{Kind, ToolSchema, check, publish};
use serde::Serialize;
use serde_json::Value;

use super::{Builder, ResponseSchema};

/// Fields of the request, sent as they are given here.
impl Builder {
    /// How freely the model chooses its words, from 0 to 2.
    pub fn temperature(self, temperature: f64) -> Self {
        self.extra("temperature", temperature)
    }

    /// The share of the likeliest words that it chooses from, from 0 to 1.
    pub fn top_p(self, share: f64) -> Self {
        self.extra("top_p", share)
    }

    /// The most tokens of one reply, reasoning included.
    pub fn max_completion_tokens(self, tokens: u32) -> Self {
        self.extra("max_completion_tokens", tokens)
    }

    /// The most tokens of one reply, by the older name that some servers still want.
    pub fn max_tokens(self, tokens: u32) -> Self {
        self.extra("max_tokens", tokens)
    }

    /// How hard a reasoning model thinks: `low`, `medium`, `high` and what else it knows.
    pub fn reasoning_effort(self, effort: impl Into<String>) -> Self {
        self.extra("reasoning_effort", effort.into())
    }

    /// A seed for answers that are the same as far as the server manages it.
    pub fn seed(self, seed: i64) -> Self {
        self.extra("seed", seed)
    }

    /// Texts at which the model stops; OpenAI takes up to four.
    pub fn stop(self, stop: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let stop: Vec<String> = stop.into_iter().map(Into::into).collect();
        self.extra("stop", stop)
    }

    /// The tier of service: `auto`, `default`, `flex`, `priority`.
    pub fn service_tier(self, tier: impl Into<String>) -> Self {
        self.extra("service_tier", tier.into())
    }

    /// Words of your own beside the request, for the provider's dashboards.
    pub fn metadata(self, metadata: BTreeMap<String, String>) -> Self {
        self.extra("metadata", metadata)
    }

    /// What requests with a common beginning share, for the provider's cache.
    pub fn prompt_cache_key(self, key: impl Into<String>) -> Self {
        self.extra("prompt_cache_key", key.into())
    }

    /// Who asks, by the older name; see [`safety_identifier`](Self::safety_identifier).
    pub fn user(self, user: impl Into<String>) -> Self {
        self.extra("user", user.into())
    }

    /// Who asks, so that the provider can tell one person's abuse from another's; a hash, never a name.
    pub fn safety_identifier(self, identifier: impl Into<String>) -> Self {
        self.extra("safety_identifier", identifier.into())
    }

    /// The form of the text, such as `json!({"type": "json_object"})`.
    pub fn response_format(self, format: Value) -> Self {
        self.extra("response_format", format)
    }

    /// The form of the text as a JSON Schema, made from a type; for servers where a finish tool is not wanted.
    ///
    /// It counts for every reply. An agent gives a typed answer by `.answer::<T>()`, whatever its model; with this, its text
    /// is the answer in JSON. [`Validator`](agent_core::arguments::Validator) reads one as arguments are read, where an
    /// optional value may be null. A type that OpenAI would refuse does not compile, nor does one that is no struct.
    ///
    /// ```
    /// use agent_core::ToolSchema;
    /// use agent_openai::OpenAi;
    ///
    /// #[derive(serde::Deserialize, ToolSchema)]
    /// struct Verdict {
    ///     /// Whether the claim holds.
    ///     holds: bool,
    /// }
    ///
    /// # fn main() -> Result<(), agent_openai::ConfigError> {
    /// let model = OpenAi::builder().api_key("sk-..").response_schema::<Verdict>().build()?;
    /// # let _ = model;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// ```compile_fail
    /// # use agent_openai::OpenAi;
    /// let builder = OpenAi::builder().response_schema::<std::collections::HashMap<String, u32>>();
    /// ```
    pub fn response_schema<T: ToolSchema>(mut self) -> Self {
        const {
            let report = check::refused(T::SHAPE.get(), "the response");
            if report.failed() {
                // Evaluated while the program is compiled: it stops the build, never the program.
                panic!("{}", report.text());
            }
            assert!(matches!(T::SHAPE.get().kind, Kind::Object(_)), "the schema of a response is that of a struct");
        }
        let shape = T::SHAPE.get();
        let (name, doc) = match &shape.kind {
            Kind::Object(object) => (object.name, object.doc),
            // Refused above.
            _ => ("response", ""),
        };
        self.fields.remove("response_format");
        self.response_schema = Some(ResponseSchema { name, published: publish(doc, shape, self.dialect.profile) });
        self
    }

    /// Any other field of the request, as servers have their own. The last value given for a name counts.
    ///
    /// A value that is no JSON, such as a map with keys that are no text, becomes null. An object for `stream_options`
    /// goes with streams alone, beside the `include_usage` that is sent there.
    pub fn extra(mut self, name: impl Into<String>, value: impl Serialize) -> Self {
        let name = name.into();
        if name == "response_format" {
            self.response_schema = None;
        }
        self.fields.insert(name, serde_json::to_value(value).unwrap_or_default());
        self
    }
}
