//! The settings that every adapter has.

use std::env;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use secrecy::{ExposeSecret, SecretString};

use crate::cassette::Cassette;
use crate::client::Client;
use crate::config::{ConfigError, Source, variable};
use crate::endpoint::Endpoint;
use crate::provider::{KeyHeader, Provider};
use crate::retry::Retries;
use crate::secrets::Secrets;

/// The settings that every adapter has, to be made into a [`Client`].
///
/// An adapter's builder holds one and gives each setting a method of its own.
///
/// ```
/// use agent_http::{KeyHeader, Provider, Setup};
/// # const PROVIDER: Provider = Provider {
/// #     name: "Parrot", api: "the Parrot API", base_url: "https://api.parrot.example/v1", path: &["say"],
/// #     own_host: "api.parrot.example", key_header: KeyHeader::Bearer, headers: &[],
/// #     key_variable: "PARROT_API_KEY", url_variable: "PARROT_BASE_URL", user_agent: "parrot/1",
/// # };
/// let mut setup = Setup::new(&PROVIDER);
/// assert!(setup.build().is_err(), "Parrot's own servers need a key");
///
/// let mut setup = Setup::new(&PROVIDER);
/// setup.set_api_key("squawk");
/// setup.timeout = std::time::Duration::from_secs(5);
/// assert!(setup.build().is_ok());
/// ```
pub struct Setup {
    provider: &'static Provider,
    base_url: String,
    base_url_from: Source,
    api_key: Option<SecretString>,
    api_key_from: Source,
    /// Headers for every request. Their values are kept secret.
    pub headers: Vec<(String, SecretString)>,
    /// What requests are recorded on, or answered from, in tests.
    pub cassette: Option<Cassette>,
    /// An HTTP client of the user's own, whose settings then count for redirects, connecting and proxies.
    pub http: Option<reqwest::Client>,
    change_http: Option<ChangeHttp>,
    /// Whether plain HTTP may go to other machines.
    pub allow_insecure_http: bool,
    /// The longest time to connect.
    pub connect_timeout: Duration,
    /// The longest time of one attempt at a whole answer, and of a stream between two events, comments not counted.
    pub timeout: Duration,
    /// The longest wait for the first byte of a stream.
    pub first_byte_timeout: Duration,
    /// The longest silence inside a stream. A comment is none, as servers send them while a model thinks.
    pub idle_timeout: Duration,
    /// The largest answer, in bytes.
    pub max_response_bytes: usize,
    /// What is tried again, and when.
    pub retries: Retries,
}

/// What the user changes of the HTTP client that is made.
type ChangeHttp = Box<dyn FnOnce(reqwest::ClientBuilder) -> reqwest::ClientBuilder + Send + Sync>;

impl Setup {
    /// The defaults for a provider's own servers, without a key.
    pub fn new(provider: &'static Provider) -> Self {
        Self {
            provider,
            base_url: provider.base_url.to_owned(),
            base_url_from: Source::Code,
            api_key: None,
            api_key_from: Source::Code,
            headers: Vec::new(),
            cassette: None,
            http: None,
            change_http: None,
            allow_insecure_http: false,
            connect_timeout: Duration::from_secs(10),
            timeout: Duration::from_secs(600),
            first_byte_timeout: Duration::from_secs(300),
            idle_timeout: Duration::from_secs(120),
            max_response_bytes: 32 * 1024 * 1024,
            retries: Retries::default(),
        }
    }

    /// The same with key and base URL from the provider's environment variables; `read` is mostly [`std::env::var`].
    ///
    /// # Errors
    ///
    /// [`ConfigError::NotUnicode`] names the variable.
    pub fn from_variables(
        provider: &'static Provider,
        read: impl Fn(&'static str) -> Result<String, env::VarError>,
    ) -> Result<Self, ConfigError> {
        let mut setup = Self::new(provider);
        // Of a provider that wants none, there is no variable.
        let has_variable = !provider.key_variable.is_empty();
        if let Some(key) = has_variable.then(|| variable(&read, provider.key_variable)).transpose()?.flatten() {
            setup.api_key = Some(key.into());
            setup.api_key_from = Source::Environment;
        }
        if let Some(url) = variable(&read, provider.url_variable)? {
            setup.base_url = url;
            setup.base_url_from = Source::Environment;
        }
        Ok(setup)
    }

    /// Sets the server's address, up to the provider's path.
    pub fn set_base_url(&mut self, url: impl Into<String>) {
        self.base_url = url.into();
        self.base_url_from = Source::Code;
    }

    /// Sets the key.
    pub fn set_api_key(&mut self, key: impl Into<SecretString>) {
        self.api_key = Some(key.into());
        self.api_key_from = Source::Code;
    }

    /// Changes the HTTP client that is made: proxies, roots of trust. It follows no redirect, whatever is set there.
    ///
    /// It takes the place of a client in [`http`](Self::http), and one that is put there later takes its place.
    pub fn change_http(
        &mut self,
        change: impl FnOnce(reqwest::ClientBuilder) -> reqwest::ClientBuilder + Send + Sync + 'static,
    ) {
        self.http = None;
        self.change_http = Some(Box::new(change));
    }

    /// The client.
    ///
    /// # Errors
    ///
    /// A [`ConfigError`]: no key for the provider's own servers, a base URL or header that cannot be used.
    pub fn build(self) -> Result<Client, ConfigError> {
        let endpoint = Endpoint::new(self.provider, &self.base_url, self.allow_insecure_http, self.base_url_from)?;
        let headers = self.all_headers(&endpoint)?;
        let secrets = Arc::new(self.secrets(&endpoint));
        if let Some(cassette) = &self.cassette {
            cassette.hide(&secrets);
        }
        let is_given = self.http.is_some();
        let http = match self.http {
            Some(client) => client,
            None => {
                http(self.provider, self.connect_timeout, &endpoint, self.change_http).map_err(ConfigError::Client)?
            }
        };
        Ok(Client {
            http,
            api: self.provider.api,
            endpoint,
            stream_headers: asking_for("text/event-stream, application/json", headers.clone()),
            headers: asking_for("application/json", headers),
            is_given,
            secrets,
            cassette: self.cassette,
            timeout: self.timeout,
            first_byte_timeout: self.first_byte_timeout,
            idle_timeout: self.idle_timeout,
            most_bytes: self.max_response_bytes,
            retries: self.retries,
        })
    }

    /// What was given in secret: the key, the values of headers, those of the base URL's query.
    fn secrets(&self, endpoint: &Endpoint) -> Secrets {
        let mut secrets = Secrets::default();
        let values = self.headers.iter().map(|(_, value)| value).chain(&self.api_key);
        values.for_each(|secret| secrets.add(secret.expose_secret()));
        secrets.add_query(&endpoint.url);
        secrets
    }

    fn all_headers(&self, endpoint: &Endpoint) -> Result<HeaderMap, ConfigError> {
        let mut headers = HeaderMap::new();
        for (name, value) in self.provider.headers {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        let (name, prefix) = match self.provider.key_header {
            KeyHeader::Bearer => (AUTHORIZATION, "Bearer "),
            KeyHeader::Named(name) => (HeaderName::from_static(name), ""),
        };
        if let Some(key) = self.api_key.as_ref().filter(|key| !key.expose_secret().trim().is_empty()) {
            let value = SecretString::from(format!("{prefix}{}", key.expose_secret().trim()));
            let variable = self.api_key_from.variable(self.provider.key_variable);
            headers.insert(name.clone(), secret(&value).ok_or(ConfigError::InvalidKey { variable })?);
        }
        for (name, value) in &self.headers {
            let bad = || ConfigError::Header { name: name.clone() };
            let parsed = HeaderName::try_from(name.as_str()).map_err(|_| bad())?;
            headers.insert(parsed, secret(value).ok_or_else(bad)?);
        }
        let is_keyed = headers.contains_key(name) || headers.contains_key(AUTHORIZATION);
        if endpoint.is_own && !is_keyed {
            let Provider { name: provider, key_variable: variable, .. } = *self.provider;
            return Err(ConfigError::MissingKey { provider, variable });
        }
        Ok(headers)
    }
}

/// The headers of a request that wants such an answer.
fn asking_for(accepted: &'static str, mut headers: HeaderMap) -> HeaderMap {
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(ACCEPT, HeaderValue::from_static(accepted));
    headers
}

/// A header value that `Debug` does not show.
fn secret(value: &SecretString) -> Option<HeaderValue> {
    let mut value = HeaderValue::from_str(value.expose_secret()).ok()?;
    value.set_sensitive(true);
    Some(value)
}

fn http(
    provider: &Provider,
    connect_timeout: Duration,
    endpoint: &Endpoint,
    change: Option<ChangeHttp>,
) -> Result<reqwest::Client, reqwest::Error> {
    let mut builder = reqwest::Client::builder()
        .user_agent(provider.user_agent)
        .connect_timeout(connect_timeout)
        .tcp_nodelay(true)
        // Requests are sent again by this crate. The client's own way is for HTTP/2 alone, and copies each.
        .retry(reqwest::retry::never().max_retries_per_request(0));
    if endpoint.is_loopback {
        // A server on this machine is not asked through a proxy on another.
        builder = builder.no_proxy();
    }
    builder = match change {
        Some(change) => change(builder),
        // So TLS is never used, and a machine without root certificates should not be in the way.
        None if endpoint.is_loopback && endpoint.url.scheme() == "http" => builder.tls_certs_only([]),
        None => builder,
    };
    // A redirect could lead the key and the conversation to another host. Last, so that no change can allow it.
    builder.redirect(reqwest::redirect::Policy::none()).build()
}

impl std::fmt::Debug for Setup {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Setup").field("provider", &self.provider.name).finish_non_exhaustive()
    }
}
