//! Setting a model up.

mod fields;

use std::env;
use std::fmt;
use std::time::Duration;

use agent_core::schema::Published;
use agent_http::{Cassette, ConfigError, Setup};
use secrecy::SecretString;
use serde_json::{Map, Value};

use crate::dialect::{Dialect, Limit, Parallel};
use crate::model::{Inner, OpenAi};
use crate::settings::{self, Settings};

/// Sets up an [`OpenAi`] model.
///
/// ```
/// use std::time::Duration;
///
/// use agent_openai::OpenAi;
///
/// # fn main() -> Result<(), agent_openai::ConfigError> {
/// let model = OpenAi::builder()
///     .base_url("http://localhost:8000/v1")
///     .model("qwen3-8b")
///     .temperature(0.0)
///     .max_completion_tokens(2_000)
///     .timeout(Duration::from_secs(60))
///     .extra("top_k", 20)
///     .build()?;
/// # let _ = model;
/// # Ok(())
/// # }
/// ```
#[must_use]
pub struct Builder {
    dialect: &'static Dialect,
    model: Option<String>,
    setup: Setup,
    most_argument_bytes: usize,
    stream_usage: bool,
    echo: bool,
    developer_role: bool,
    parallel_tool_calls: Option<bool>,
    response_schema: Option<ResponseSchema>,
    fields: Map<String, Value>,
}

/// The form of the text as a schema, whose keys stay in their order.
struct ResponseSchema {
    name: &'static str,
    published: Published,
}

impl Builder {
    pub(crate) fn speaking(dialect: &'static Dialect) -> Self {
        Self::over(dialect, Setup::new(&dialect.provider))
    }

    fn over(dialect: &'static Dialect, setup: Setup) -> Self {
        Self {
            dialect,
            model: dialect.model.map(str::to_owned),
            setup,
            most_argument_bytes: 8 * 1024 * 1024,
            stream_usage: true,
            echo: true,
            developer_role: false,
            parallel_tool_calls: None,
            response_schema: None,
            fields: Map::new(),
        }
    }

    /// As [`OpenAi::from_env`] reads it, to be changed before it is built.
    ///
    /// ```no_run
    /// let model = agent_openai::Builder::from_env()?.max_retries(5).build()?;
    /// # Ok::<(), agent_openai::ConfigError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ConfigError::NotUnicode`] names the variable.
    pub fn from_env() -> Result<Self, ConfigError> {
        Self::from_variables(&Dialect::OPENAI, env::var)
    }

    pub(crate) fn from_variables(
        dialect: &'static Dialect,
        read: impl Fn(&'static str) -> Result<String, env::VarError>,
    ) -> Result<Self, ConfigError> {
        let mut builder = Self::over(dialect, Setup::from_variables(&dialect.provider, &read)?);
        if let Some(model) = agent_http::variable(&read, dialect.model_variable)? {
            builder.model = Some(model);
        }
        Ok(builder)
    }

    /// The model's name; `gpt-4o-mini` otherwise, where the server is OpenAI's.
    pub fn model(mut self, name: impl Into<String>) -> Self {
        self.model = Some(name.into());
        self
    }

    /// The server's address up to `/chat/completions`; that of the dialect otherwise. A query is kept.
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.setup.set_base_url(url);
        self
    }

    /// The key, sent as a bearer token, or as the dialect has it. OpenAI's own servers need one, others may not.
    pub fn api_key(mut self, key: impl Into<SecretString>) -> Self {
        self.setup.set_api_key(key);
        self
    }

    /// A header for every request, such as `OpenAI-Organization`. Its value is kept secret.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<SecretString>) -> Self {
        self.setup.headers.push((name.into(), value.into()));
        self
    }

    /// Changes the HTTP client that is made: a proxy, other roots of trust.
    ///
    /// What is set there goes before the settings here. Redirects are not followed whatever is set, since they could lead
    /// the key and the conversation to another host.
    ///
    /// ```
    /// use agent_openai::{OpenAi, reqwest};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let proxy = reqwest::Proxy::all("http://proxy.internal:3128")?;
    /// let model = OpenAi::builder().api_key("sk-..").client_builder(|client| client.proxy(proxy)).build()?;
    /// # let _ = model;
    /// # Ok(())
    /// # }
    /// ```
    pub fn client_builder(
        mut self,
        change: impl FnOnce(reqwest::ClientBuilder) -> reqwest::ClientBuilder + Send + Sync + 'static,
    ) -> Self {
        self.setup.change_http(change);
        self
    }

    /// An HTTP client of your own, to share its connections. For a proxy or other roots of trust,
    /// [`client_builder`](Self::client_builder) is the safer way.
    ///
    /// Its own settings then count for connecting, proxies and redirects. Give it
    /// [`Policy::none`](reqwest::redirect::Policy::none): a client that follows redirects takes `Authorization` off on
    /// the way to another host, but sends `api-key` and your other headers, and the conversation, along. An answer that
    /// came from another host is refused, which is after it was asked.
    pub fn client(mut self, client: reqwest::Client) -> Self {
        self.setup.http = Some(client);
        self
    }

    /// Records the exchanges with the server on a cassette, or answers from one, in tests.
    pub fn cassette(mut self, cassette: Cassette) -> Self {
        self.setup.cassette = Some(cassette);
        self
    }

    /// Allows plain HTTP to other machines, where key and conversation can be read on the way.
    pub fn allow_insecure_http(mut self, allow: bool) -> Self {
        self.setup.allow_insecure_http = allow;
        self
    }

    /// The longest time to connect; 10 seconds otherwise.
    pub fn connect_timeout(mut self, timeout: Duration) -> Self {
        self.setup.connect_timeout = timeout;
        self
    }

    /// The longest time of one attempt at a plain reply; 10 minutes otherwise, and never beyond a request's deadline.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.setup.timeout = timeout;
        self
    }

    /// The longest wait for the first byte of a stream, which a model that has much to read or to think takes
    /// its time for; 5 minutes otherwise.
    pub fn first_byte_timeout(mut self, timeout: Duration) -> Self {
        self.setup.first_byte_timeout = timeout;
        self
    }

    /// The longest silence inside a stream; 2 minutes otherwise.
    ///
    /// A comment is no silence: servers send them as a heartbeat while a model thinks. With comments alone a stream goes
    /// on for [`timeout`](Self::timeout), and never beyond the request's deadline.
    pub fn idle_timeout(mut self, timeout: Duration) -> Self {
        self.setup.idle_timeout = timeout;
        self
    }

    /// Whether a stream is asked to end with its usage, which a few servers refuse; yes otherwise.
    pub fn stream_usage(mut self, usage: bool) -> Self {
        self.stream_usage = usage;
        self
    }

    /// The largest arguments of one call; 8 MiB otherwise.
    pub fn max_argument_bytes(mut self, bytes: usize) -> Self {
        self.most_argument_bytes = bytes;
        self
    }

    /// The largest answer, streams included; 32 MiB otherwise.
    pub fn max_response_bytes(mut self, bytes: usize) -> Self {
        self.setup.max_response_bytes = bytes;
        self
    }

    /// How many requests may follow a failed one; 2 otherwise.
    pub fn max_retries(mut self, retries: u32) -> Self {
        self.setup.retries.most = retries;
        self
    }

    /// The first wait before trying again and the longest one; half a second and 8 seconds otherwise.
    ///
    /// Each wait is anything up to twice the last one. What a server asks for goes before.
    pub fn retry_waits(mut self, first: Duration, longest: Duration) -> Self {
        self.setup.retries.base = first;
        self.setup.retries.cap = longest;
        self
    }

    /// The longest wait that a server may ask for before its error is given to the caller; a minute otherwise.
    pub fn max_retry_after(mut self, longest: Duration) -> Self {
        self.setup.retries.asked = longest;
        self
    }

    /// Sends the system text as a `developer` message, the name that OpenAI's reasoning models have for it.
    pub fn developer_role(mut self, developer: bool) -> Self {
        self.developer_role = developer;
        self
    }

    /// Whether thoughts, signatures and other fields that the format does not have go back with the messages
    /// that they came with, as their servers want it; yes otherwise.
    ///
    /// To be turned off where a conversation goes on with a server that refuses the fields of the one before.
    pub fn echo(mut self, echo: bool) -> Self {
        self.echo = echo;
        self
    }

    /// Whether the model may ask for several calls in one reply. Sent only with tools.
    pub fn parallel_tool_calls(mut self, parallel: bool) -> Self {
        self.parallel_tool_calls = Some(parallel);
        self
    }

    /// The model.
    ///
    /// # Errors
    ///
    /// A [`ConfigError`]: no key for OpenAI's own servers, a base URL or header that cannot be used,
    /// a setting that the format does not allow.
    pub fn build(self) -> Result<OpenAi, ConfigError> {
        let Self { dialect, .. } = self;
        let unset = || ConfigError::Setting { name: "model".to_owned(), reason: "is not set" };
        let model = self.model.ok_or_else(unset)?;
        let mut fields = named(self.fields, dialect.limit);
        let stream_usage = self.stream_usage && dialect.stream_usage;
        let stream = settings::stream(fields.remove("stream_options"), stream_usage)?;
        let mut fields = settings::written(fields)?;
        if let Some(ResponseSchema { name, published }) = self.response_schema {
            fields.extend_from_slice(&settings::response_format(name, &published, dialect.strict));
        }
        let settings = Settings {
            model,
            profile: dialect.profile,
            strict: dialect.strict,
            required: dialect.required,
            developer_role: self.developer_role && dialect.developer_role,
            parallel_tool_calls: match dialect.parallel {
                Parallel::AsSet => self.parallel_tool_calls,
                Parallel::Never => Some(self.parallel_tool_calls.unwrap_or(false)),
                Parallel::Unknown => None,
            },
            stream,
            echo: self.echo,
            fields,
        };
        let client = self.setup.build()?;
        let profiles = [dialect.profile];
        Ok(OpenAi::new(Inner { client, settings, profiles, most_argument_bytes: self.most_argument_bytes }))
    }
}

/// The fields, with the most tokens of a reply under the server's name for them.
fn named(mut fields: Map<String, Value>, limit: Limit) -> Map<String, Value> {
    if limit == Limit::MaxTokens
        && let Some(tokens) = fields.remove("max_completion_tokens")
    {
        fields.insert("max_tokens".to_owned(), tokens);
    }
    fields
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder").field("model", &self.model).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(variables: &[(&str, &str)]) -> Result<OpenAi, ConfigError> {
        let find = |name: &str| variables.iter().find(|(given, _)| *given == name);
        let read = |name| find(name).map(|(_, value)| (*value).to_owned()).ok_or(env::VarError::NotPresent);
        Builder::from_variables(&Dialect::OPENAI, read)?.build()
    }

    #[test]
    fn variables_set_key_server_and_model() {
        let model = from(&[("OPENAI_BASE_URL", "http://localhost:1/v1"), ("OPENAI_MODEL", "qwen3")]).unwrap();
        assert_eq!(format!("{model:?}"), r#"OpenAi { model: "qwen3", server: "http://localhost:1/v1", .. }"#);
        let model = from(&[("OPENAI_API_KEY", "k"), ("OPENAI_BASE_URL", " "), ("OPENAI_MODEL", "")]).unwrap();
        assert_eq!(format!("{model:?}"), r#"OpenAi { model: "gpt-4o-mini", server: "https://api.openai.com/v1", .. }"#);
    }

    #[test]
    fn an_error_names_the_variable() {
        let url = ("OPENAI_BASE_URL", "http://x.test");
        for (variables, name) in [
            (&[][..], "OPENAI_API_KEY"),
            (&[("OPENAI_API_KEY", "a\nb")], "OPENAI_API_KEY"),
            (&[url], "OPENAI_BASE_URL"),
            (&[("OPENAI_BASE_URL", "nonsense")], "OPENAI_BASE_URL"),
        ] {
            let error = from(variables).unwrap_err().to_string();
            assert!(error.contains(&format!("`{name}`")), "{error}");
        }
    }

    #[test]
    fn a_variable_that_is_no_text_is_named_too() {
        let error =
            Builder::from_variables(&Dialect::OPENAI, |_| Err(env::VarError::NotUnicode("x".into()))).unwrap_err();
        assert!(matches!(error, ConfigError::NotUnicode { variable: "OPENAI_API_KEY" }));
    }
}
