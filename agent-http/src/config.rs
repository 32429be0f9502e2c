//! What can be wrong with a configuration.

use std::env;

use thiserror::Error;

use crate::provider::Provider;

/// Where a value came from, so that the error can name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    Code,
    Environment,
}

/// Why a model could not be set up.
///
/// ```
/// use agent_http::ConfigError;
///
/// let error = ConfigError::MissingKey { provider: "Parrot", variable: "PARROT_API_KEY" };
/// assert!(error.to_string().contains("set `PARROT_API_KEY`"));
/// ```
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The provider's own servers need a key.
    #[error("no key for {provider}'s servers: set `{variable}`, or `api_key(..)` on the builder")]
    MissingKey {
        /// The provider.
        provider: &'static str,
        /// The environment variable that it is read from.
        variable: &'static str,
    },
    /// The key cannot be sent in a header.
    #[error("the key{} holds characters that no HTTP header may have", from(.variable))]
    InvalidKey {
        /// The environment variable that it came from.
        variable: Option<&'static str>,
    },
    /// A variable is set and is no Unicode text.
    #[error("the environment variable `{variable}` is no Unicode text")]
    NotUnicode {
        /// The environment variable.
        variable: &'static str,
    },
    /// The base URL cannot be used.
    #[error("the base URL{} cannot be used: {reason}", from(.variable))]
    BaseUrl {
        /// The environment variable that it came from.
        variable: Option<&'static str>,
        /// Why.
        reason: String,
    },
    /// The base URL is plain HTTP and not on this machine.
    #[error("the base URL{} is plain http to another machine; use https, or `allow_insecure_http` where the network is trusted", from(.variable))]
    InsecureUrl {
        /// The environment variable that it came from.
        variable: Option<&'static str>,
    },
    /// A header that cannot be sent.
    #[error("the header `{name}` cannot be sent: its name or value is no HTTP header")]
    Header {
        /// The header.
        name: String,
    },
    /// A setting that the format does not allow.
    #[error("the setting `{name}` {reason}")]
    Setting {
        /// The setting.
        name: String,
        /// Why.
        reason: &'static str,
    },
    /// The HTTP client could not be made.
    #[error("the HTTP client could not be made")]
    Client(#[source] reqwest::Error),
}

impl ConfigError {
    pub(crate) fn base_url(provider: &Provider, source: Source, reason: &str) -> Self {
        Self::BaseUrl { variable: source.variable(provider.url_variable), reason: reason.to_owned() }
    }

    pub(crate) fn insecure(provider: &Provider, source: Source) -> Self {
        Self::InsecureUrl { variable: source.variable(provider.url_variable) }
    }
}

impl Source {
    pub(crate) fn variable(self, name: &'static str) -> Option<&'static str> {
        (self == Self::Environment).then_some(name)
    }
}

fn from(variable: &Option<&'static str>) -> String {
    variable.map(|name| format!(" in `{name}`")).unwrap_or_default()
}

/// A variable as `read` gives it, mostly [`std::env::var`]; one that is empty counts as not set.
///
/// ```
/// let set = agent_http::variable(|_| Ok(" ".to_owned()), "PARROT_MODEL")?;
/// assert_eq!(set, None);
/// # Ok::<(), agent_http::ConfigError>(())
/// ```
///
/// # Errors
///
/// [`ConfigError::NotUnicode`] names the variable.
pub fn variable(
    read: impl Fn(&'static str) -> Result<String, env::VarError>,
    name: &'static str,
) -> Result<Option<String>, ConfigError> {
    match read(name) {
        Ok(text) => Ok(Some(text).filter(|text| !text.trim().is_empty())),
        Err(env::VarError::NotPresent) => Ok(None),
        Err(env::VarError::NotUnicode(_)) => Err(ConfigError::NotUnicode { variable: name }),
    }
}
