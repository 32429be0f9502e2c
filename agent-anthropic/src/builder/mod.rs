//! Setting a model up.

mod fields;

use std::env;
use std::fmt;
use std::time::Duration;

use agent_http::{Cassette, ConfigError, KeyHeader, Provider, Setup};
use secrecy::SecretString;
use serde_json::{Map, Value};

use crate::model::{Anthropic, Inner};
use crate::settings::{self, Caching, Settings};

const PROVIDER: Provider = Provider {
    name: "Anthropic",
    api: "a Messages API",
    base_url: "https://api.anthropic.com",
    path: &["v1", "messages"],
    own_host: "api.anthropic.com",
    key_header: KeyHeader::Named("x-api-key"),
    headers: &[("anthropic-version", "2023-06-01")],
    key_variable: "ANTHROPIC_API_KEY",
    url_variable: "ANTHROPIC_BASE_URL",
    user_agent: concat!("agent-anthropic/", env!("CARGO_PKG_VERSION")),
};
const DEFAULT_MODEL: &str = "claude-sonnet-4-5";
/// The most tokens of a reply; the format has no default.
const DEFAULT_MAX_TOKENS: u32 = 8192;

/// Sets up an [`Anthropic`] model.
///
/// ```
/// use std::time::Duration;
///
/// use agent_anthropic::Anthropic;
///
/// # fn main() -> Result<(), agent_anthropic::ConfigError> {
/// let model = Anthropic::builder()
///     .api_key("sk-ant-..")
///     .model("claude-haiku-4-5")
///     .max_tokens(4_000)
///     .timeout(Duration::from_secs(60))
///     .build()?;
/// # let _ = model;
/// # Ok(())
/// # }
/// ```
#[must_use]
pub struct Builder {
    model: String,
    setup: Setup,
    most_argument_bytes: usize,
    max_tokens: Option<u32>,
    caching: Caching,
    cache_for_an_hour: bool,
    parallel_tool_calls: Option<bool>,
    strict_tools: bool,
    echo: bool,
    max_continuations: u32,
    server_tools: Vec<Value>,
    betas: Vec<String>,
    fields: Map<String, Value>,
}

impl Builder {
    pub(crate) fn new() -> Self {
        Self::over(Setup::new(&PROVIDER))
    }

    fn over(setup: Setup) -> Self {
        Self {
            model: DEFAULT_MODEL.to_owned(),
            setup,
            most_argument_bytes: 8 * 1024 * 1024,
            max_tokens: None,
            caching: Caching::default(),
            cache_for_an_hour: false,
            parallel_tool_calls: None,
            strict_tools: true,
            echo: true,
            max_continuations: 5,
            server_tools: Vec::new(),
            betas: Vec::new(),
            fields: Map::new(),
        }
    }

    /// As [`Anthropic::from_env`] reads it, to be changed before it is built.
    ///
    /// ```no_run
    /// let model = agent_anthropic::Builder::from_env()?.max_retries(5).build()?;
    /// # Ok::<(), agent_anthropic::ConfigError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`ConfigError::NotUnicode`] names the variable.
    pub fn from_env() -> Result<Self, ConfigError> {
        Self::from_variables(env::var)
    }

    fn from_variables(read: impl Fn(&'static str) -> Result<String, env::VarError>) -> Result<Self, ConfigError> {
        let mut builder = Self::over(Setup::from_variables(&PROVIDER, &read)?);
        if let Some(model) = agent_http::variable(&read, "ANTHROPIC_MODEL")? {
            builder.model = model;
        }
        Ok(builder)
    }

    /// The model's name; `claude-sonnet-4-5` otherwise.
    pub fn model(mut self, name: impl Into<String>) -> Self {
        self.model = name.into();
        self
    }

    /// The server's address up to `/v1/messages`; Anthropic's own otherwise. A `/v1` at its end may stand or be
    /// left out, and a query is kept.
    pub fn base_url(mut self, url: impl Into<String>) -> Self {
        self.setup.set_base_url(url);
        self
    }

    /// The key, sent as `x-api-key`. Anthropic's own servers need one, others may not.
    ///
    /// Servers that want a bearer token take it by [`header`](Self::header), as `authorization`.
    pub fn api_key(mut self, key: impl Into<SecretString>) -> Self {
        self.setup.set_api_key(key);
        self
    }

    /// A header for every request. Its value is kept secret.
    pub fn header(mut self, name: impl Into<String>, value: impl Into<SecretString>) -> Self {
        self.setup.headers.push((name.into(), value.into()));
        self
    }

    /// Turns on a feature that is not yet general, by its name in `anthropic-beta`.
    pub fn beta(mut self, feature: impl Into<String>) -> Self {
        self.betas.push(feature.into());
        self
    }

    /// Changes the HTTP client that is made: a proxy, other roots of trust.
    ///
    /// What is set there goes before the settings here. Redirects are not followed whatever is set, since they could lead
    /// the key and the conversation to another host.
    ///
    /// ```
    /// use agent_anthropic::{Anthropic, reqwest};
    ///
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let proxy = reqwest::Proxy::all("http://proxy.internal:3128")?;
    /// let model = Anthropic::builder().api_key("sk-..").client_builder(|client| client.proxy(proxy)).build()?;
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
    /// the way to another host, but sends `x-api-key` and your other headers, and the conversation, along. An answer that
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

    /// The longest wait for the first byte of a stream, which a model that has much to read takes its time for;
    /// 5 minutes otherwise.
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

    /// The most tokens of one reply, thinking included; 8192 otherwise, and as many more as it may think in.
    pub fn max_tokens(mut self, tokens: u32) -> Self {
        self.max_tokens = Some(tokens);
        self
    }

    /// What the provider is asked to keep in its cache; the conversation otherwise.
    pub fn caching(mut self, caching: Caching) -> Self {
        self.caching = caching;
        self
    }

    /// Keeps it for an hour, at twice the price of reading it, where five minutes are not enough.
    pub fn cache_for_an_hour(mut self, hour: bool) -> Self {
        self.cache_for_an_hour = hour;
        self
    }

    /// Whether the model may ask for several calls in one reply. Sent only with tools.
    pub fn parallel_tool_calls(mut self, parallel: bool) -> Self {
        self.parallel_tool_calls = Some(parallel);
        self
    }

    /// Whether the server is asked to hold the model to the schemas of strict tools; yes otherwise.
    ///
    /// To be turned off for models and servers that refuse `strict`. Arguments are checked all the same.
    pub fn strict_tools(mut self, strict: bool) -> Self {
        self.strict_tools = strict;
        self
    }

    /// Whether thoughts, signatures and other blocks that only the server understands go back with the messages
    /// that they came with, as Anthropic's servers want it; yes otherwise.
    ///
    /// To be turned off where a conversation goes on with a server that refuses the blocks of the one before.
    pub fn echo(mut self, echo: bool) -> Self {
        self.echo = echo;
        self
    }

    /// How often a turn that the server paused is sent back to go on; 5 times otherwise. After that the reply
    /// ends with `pause_turn`.
    pub fn max_continuations(mut self, times: u32) -> Self {
        self.max_continuations = times;
        self
    }

    /// The model.
    ///
    /// # Errors
    ///
    /// A [`ConfigError`]: no key for Anthropic's own servers, a base URL or header that cannot be used,
    /// a setting that the format does not allow.
    pub fn build(mut self) -> Result<Anthropic, ConfigError> {
        let budget = self.fields.get("thinking").and_then(|thinking| thinking.get("budget_tokens")?.as_u64());
        let budget = u32::try_from(budget.unwrap_or(0)).unwrap_or(u32::MAX);
        let max_tokens = self.max_tokens.unwrap_or(DEFAULT_MAX_TOKENS.saturating_add(budget));
        if !self.betas.is_empty() {
            self.setup.headers.push(("anthropic-beta".to_owned(), self.betas.join(",").into()));
        }
        let settings = Settings {
            fields: settings::written(&self.fields, max_tokens)?,
            may_force: !settings::thinks(&self.fields),
            model: self.model,
            max_tokens,
            caching: self.caching,
            cache_for_an_hour: self.cache_for_an_hour,
            parallel_tool_calls: self.parallel_tool_calls,
            strict_tools: self.strict_tools,
            echo: self.echo,
            server_tools: self.server_tools.iter().flat_map(|tool| format!("{tool},").into_bytes()).collect(),
            max_continuations: self.max_continuations,
        };
        let client = self.setup.build()?;
        Ok(Anthropic::new(Inner { client, settings, most_argument_bytes: self.most_argument_bytes }))
    }
}

impl fmt::Debug for Builder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Builder").field("model", &self.model).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn from(variables: &[(&str, &str)]) -> Result<Anthropic, ConfigError> {
        let find = |name: &str| variables.iter().find(|(given, _)| *given == name);
        let read = |name| find(name).map(|(_, value)| (*value).to_owned()).ok_or(env::VarError::NotPresent);
        Builder::from_variables(read)?.build()
    }

    #[test]
    fn variables_set_key_server_and_model() {
        let model = from(&[("ANTHROPIC_BASE_URL", "http://localhost:1"), ("ANTHROPIC_MODEL", "kimi")]).unwrap();
        assert_eq!(format!("{model:?}"), r#"Anthropic { model: "kimi", server: "http://localhost:1", .. }"#);
        let model = from(&[("ANTHROPIC_API_KEY", "k"), ("ANTHROPIC_BASE_URL", " ")]).unwrap();
        let shown = r#"Anthropic { model: "claude-sonnet-4-5", server: "https://api.anthropic.com", .. }"#;
        assert_eq!(format!("{model:?}"), shown);
    }

    #[test]
    fn an_error_names_the_variable() {
        for (variables, name) in [
            (&[][..], "ANTHROPIC_API_KEY"),
            (&[("ANTHROPIC_API_KEY", "a\nb")], "ANTHROPIC_API_KEY"),
            (&[("ANTHROPIC_BASE_URL", "http://x.test")], "ANTHROPIC_BASE_URL"),
            (&[("ANTHROPIC_BASE_URL", "nonsense")], "ANTHROPIC_BASE_URL"),
        ] {
            let error = from(variables).unwrap_err().to_string();
            assert!(error.contains(&format!("`{name}`")), "{error}");
        }
    }
}
