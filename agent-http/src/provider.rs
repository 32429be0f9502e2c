//! What is fixed about a provider.

/// What is fixed about a provider: where its servers are and how they want to be addressed.
///
/// The crate's own page has an example.
#[derive(Debug)]
pub struct Provider {
    /// Its name, for messages: `OpenAI`.
    pub name: &'static str,
    /// What a base URL has to be that of, for messages: `a chat-completions API`.
    pub api: &'static str,
    /// The base URL of its own servers; empty where each user has one.
    pub base_url: &'static str,
    /// What follows the base URL.
    pub path: &'static [&'static str],
    /// The host of its own servers, subdomains included, which answer nobody without a key; empty where it has none.
    pub own_host: &'static str,
    /// Where the key goes.
    pub key_header: KeyHeader,
    /// Headers of every request, unless the user sets their own.
    pub headers: &'static [(&'static str, &'static str)],
    /// The environment variable with the key; empty where none is needed.
    pub key_variable: &'static str,
    /// The environment variable with the base URL.
    pub url_variable: &'static str,
    /// Who asks, for the server's logs.
    pub user_agent: &'static str,
}

/// The header that holds the key.
///
/// ```
/// assert_ne!(agent_http::KeyHeader::Bearer, agent_http::KeyHeader::Named("x-api-key"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyHeader {
    /// `Authorization: Bearer ..`.
    Bearer,
    /// The key alone in a header of this name, in lower case.
    Named(&'static str),
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) const PARROT: Provider = Provider {
        name: "Parrot",
        api: "the Parrot API",
        base_url: "https://api.parrot.test/v1",
        path: &["say", "it"],
        own_host: "api.parrot.test",
        key_header: KeyHeader::Named("x-parrot-key"),
        headers: &[("x-parrot-version", "1")],
        key_variable: "PARROT_API_KEY",
        url_variable: "PARROT_BASE_URL",
        user_agent: "parrot/1",
    };
}
