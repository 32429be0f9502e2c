//! The server's address, and whether a key may go there.

use std::sync::Arc;

use reqwest::Url;

use crate::config::{ConfigError, Source};
use crate::provider::Provider;

/// Where requests go.
#[derive(Clone)]
pub(crate) struct Endpoint {
    pub(crate) url: Url,
    /// The address for messages: without its query, which may hold keys.
    pub(crate) shown: Arc<str>,
    pub(crate) is_loopback: bool,
    /// Whether the server is the provider's own, which answers nobody without a key.
    pub(crate) is_own: bool,
}

impl Endpoint {
    pub(crate) fn new(
        provider: &Provider,
        base: &str,
        allow_insecure: bool,
        source: Source,
    ) -> Result<Self, ConfigError> {
        let bad = |why: &str| ConfigError::base_url(provider, source, why);
        if base.trim().is_empty() {
            return Err(bad("none is set; it is that of your own server"));
        }
        // The text itself stays out of the error, since it may hold a key.
        let mut url = Url::parse(base.trim()).map_err(|error| bad(&error.to_string()))?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(bad("it holds a user or a password, which are not sent; give the key or a header instead"));
        }
        let host = url.host_str().ok_or_else(|| bad("it has no host"))?.to_ascii_lowercase();
        let is_loopback = is_loopback(&host);
        match url.scheme() {
            "https" => {}
            "http" if is_loopback || allow_insecure => {}
            "http" => return Err(ConfigError::insecure(provider, source)),
            _ => return Err(bad("it is neither https nor http")),
        }
        let shown = shown(&url);
        url.set_fragment(None);
        let path = rest_of_path(&url, provider.path);
        url.path_segments_mut().map_err(|()| bad("it cannot have a path"))?.pop_if_empty().extend(path);
        let own = provider.own_host;
        let is_own =
            !own.is_empty() && host.strip_suffix(own).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
        Ok(Self { url, shown, is_loopback, is_own })
    }
}

/// The path without its version, where the base URL has that already: both ways of giving a base are common.
fn rest_of_path<'p>(base: &Url, path: &'p [&'p str]) -> &'p [&'p str] {
    let last = base.path_segments().and_then(|segments| segments.rev().find(|segment| !segment.is_empty()));
    match path {
        ["v1", rest @ ..] if last == Some("v1") => rest,
        path => path,
    }
}

fn shown(url: &Url) -> Arc<str> {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    url.as_str().trim_end_matches('/').into()
}

fn is_loopback(host: &str) -> bool {
    let address = host.trim_start_matches('[').trim_end_matches(']');
    match address.parse::<std::net::IpAddr>() {
        Ok(address) => address.is_loopback(),
        Err(_) => host == "localhost" || host.ends_with(".localhost"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider::tests::PARROT;

    fn endpoint(base: &str) -> Result<Endpoint, ConfigError> {
        Endpoint::new(&PARROT, base, false, Source::Code)
    }

    #[test]
    fn the_path_is_added_to_any_base() {
        for (base, url) in [
            ("https://api.parrot.test/v1", "https://api.parrot.test/v1/say/it"),
            ("https://api.parrot.test/v1/", "https://api.parrot.test/v1/say/it"),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080/say/it"),
            ("https://x.test/d?api-version=1", "https://x.test/d/say/it?api-version=1"),
        ] {
            assert_eq!(endpoint(base).unwrap().url.as_str(), url);
        }
    }

    #[test]
    fn a_version_that_the_base_ends_with_is_not_repeated() {
        const VERSIONED: Provider = Provider { path: &["v1", "say"], ..PARROT };
        for base in ["https://x.test", "https://x.test/", "https://x.test/v1", "https://x.test/v1/"] {
            let endpoint = Endpoint::new(&VERSIONED, base, false, Source::Code).unwrap();
            assert_eq!(endpoint.url.as_str(), "https://x.test/v1/say");
        }
    }

    #[test]
    fn plain_http_is_for_the_own_machine_only() {
        for base in ["http://localhost:1", "http://127.9.9.9", "http://[::1]:80/v1", "http://a.localhost"] {
            assert!(endpoint(base).is_ok(), "{base}");
        }
        for base in ["http://example.com", "http://10.0.0.1", "http://localhost.example.com", "ftp://localhost"] {
            assert!(endpoint(base).is_err(), "{base}");
        }
        assert!(Endpoint::new(&PARROT, "http://10.0.0.1", true, Source::Code).is_ok());
    }

    #[test]
    fn the_providers_own_servers_are_known_by_their_host() {
        for (base, own) in [
            ("https://api.parrot.test", true),
            ("https://eu.api.parrot.test/v1", true),
            ("https://evilapi.parrot.test", false),
            ("https://api.parrot.test.example", false),
        ] {
            assert_eq!(endpoint(base).unwrap().is_own, own, "{base}");
        }
    }

    #[test]
    fn what_is_shown_holds_no_credentials() {
        let shown = endpoint("https://x.test/v1?key=secret#secret").unwrap().shown;
        assert_eq!(&*shown, "https://x.test/v1");
    }

    #[test]
    fn a_user_in_the_address_is_refused_without_being_shown() {
        for base in ["https://me:secret@x.test/v1", "https://secret@x.test", "https://:secret@x.test"] {
            let error = endpoint(base).err().unwrap().to_string();
            assert!(error.contains("a user or a password") && !error.contains("secret"), "{error}");
        }
    }
}
