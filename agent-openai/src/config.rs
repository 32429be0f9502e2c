//! What can be wrong with a configuration.

use thiserror::Error;

/// Where a value came from, so that the error can name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    Code,
    Environment,
}

/// Why a model could not be set up.
///
/// ```
/// use agent_openai::{ConfigError, OpenAi};
///
/// let error = OpenAi::builder().base_url("http://example.com/v1").build().unwrap_err();
/// assert!(matches!(error, ConfigError::InsecureUrl { .. }));
/// ```
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// OpenAI's own servers need a key.
    #[error("no key for OpenAI's servers: set `OPENAI_API_KEY`, or `api_key(..)` on the builder")]
    MissingKey,
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
    pub(crate) fn base_url(source: Source, reason: &str) -> Self {
        Self::BaseUrl { variable: source.variable("OPENAI_BASE_URL"), reason: reason.to_owned() }
    }

    pub(crate) fn insecure(source: Source) -> Self {
        Self::InsecureUrl { variable: source.variable("OPENAI_BASE_URL") }
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
