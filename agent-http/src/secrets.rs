//! What must not be shown: the key, the values of headers, those of the base URL's query.

use std::borrow::Cow;
use std::fmt;

use reqwest::Url;
use secrecy::{ExposeSecret, SecretString};

/// What stands in a secret's place.
pub(crate) const HIDDEN: &str = "[secret]";

/// Shorter ones are hidden only where they stand as a word: a key of one letter is in most words.
const LONG: usize = 8;

/// Parameters of a query that are no secret, and that a server's message is of little use without.
const OPEN_PARAMETERS: [&str; 1] = ["api-version"];

/// Texts that are taken out of whatever is shown or written.
///
/// Each is known in the spellings that a server may repeat it in: as it is, inside JSON, inside a URL.
#[derive(Clone, Default)]
pub(crate) struct Secrets(Vec<SecretString>);

impl Secrets {
    /// Adds a secret; of several words, as `Bearer ..` is, each that may be one by itself as well.
    pub(crate) fn add(&mut self, secret: &str) {
        let secret = secret.trim();
        self.add_word(secret);
        let mut words = secret.split_whitespace();
        if let (Some(_), Some(word), None) = (words.next(), words.next(), words.next()) {
            self.add_word(word);
        }
    }

    /// Adds the values of a query.
    pub(crate) fn add_query(&mut self, url: &Url) {
        for (name, value) in url.query_pairs() {
            if !OPEN_PARAMETERS.contains(&&*name) {
                self.add(&value);
            }
        }
        for pair in url.query().unwrap_or_default().split('&') {
            let (name, value) = pair.split_once('=').unwrap_or(("", pair));
            if !OPEN_PARAMETERS.contains(&name) {
                self.add(value);
            }
        }
    }

    fn add_word(&mut self, secret: &str) {
        if secret.is_empty() {
            return;
        }
        let quoted = serde_json::Value::from(secret).to_string();
        let in_json = quoted[1..quoted.len() - 1].to_owned();
        let with_slashes = in_json.replace('/', "\\/");
        let in_url: String = url_encoded(secret);
        for spelling in [secret.to_owned(), in_json, with_slashes, in_url] {
            if !self.0.iter().any(|known| known.expose_secret() == spelling) {
                self.0.push(spelling.into());
            }
        }
        // The longest first, so that none leaves the rest of another behind.
        self.0.sort_by_key(|secret| std::cmp::Reverse(secret.expose_secret().len()));
    }

    /// Adds those of another.
    pub(crate) fn add_all(&mut self, other: &Self) {
        other.0.iter().for_each(|secret| self.add_word(secret.expose_secret()));
    }

    /// The text without the secrets. It is to be whole: of a part that was cut, the end may be the beginning of one.
    pub(crate) fn hidden<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let secrets = self.0.iter().map(ExposeSecret::expose_secret);
        secrets.fold(Cow::Borrowed(text), |text, secret| match text.contains(secret) {
            true if secret.len() >= LONG => Cow::Owned(text.replace(secret, HIDDEN)),
            true => Cow::Owned(without_word(&text, secret)),
            false => text,
        })
    }
}

/// The text without a short secret, where neither a letter nor a digit stands beside it.
fn without_word(text: &str, secret: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for (at, _) in text.match_indices(secret) {
        let end = at + secret.len();
        let before = text[..at].chars().next_back();
        let after = text[end..].chars().next();
        if ![before, after].into_iter().flatten().any(char::is_alphanumeric) {
            out.push_str(&text[from..at]);
            out.push_str(HIDDEN);
            from = end;
        }
    }
    out.push_str(&text[from..]);
    out
}

fn url_encoded(text: &str) -> String {
    // A URL's own serialiser, so that no further crate is needed for it.
    let mut url = match Url::parse("http://localhost") {
        Ok(url) => url,
        Err(_) => return text.to_owned(),
    };
    url.query_pairs_mut().append_key_only(text);
    url.query().unwrap_or(text).to_owned()
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secrets")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secrets(of: &[&str]) -> Secrets {
        let mut secrets = Secrets::default();
        of.iter().for_each(|secret| secrets.add(secret));
        secrets
    }

    #[test]
    fn a_secret_is_hidden_in_each_spelling() {
        let secrets = secrets(&["a/b+c\"d-long"]);
        for told in [r#"a/b+c"d-long"#, r#"a/b+c\"d-long"#, r#"a\/b+c\"d-long"#, "a%2Fb%2Bc%22d-long"] {
            assert_eq!(secrets.hidden(&format!("see {told}!")), "see [secret]!");
        }
    }

    #[test]
    fn a_short_secret_is_hidden_where_it_is_a_word() {
        assert_eq!(secrets(&["k1"]).hidden("k1: no k1, and k12 is none"), "[secret]: no [secret], and k12 is none");
        assert_eq!(secrets(&[""]).hidden("text"), "text");
    }

    #[test]
    fn a_key_after_the_name_of_its_scheme_is_hidden_by_itself() {
        assert_eq!(secrets(&["Bearer sk-very-secret"]).hidden("no key sk-very-secret"), "no key [secret]");
    }

    #[test]
    fn a_secret_within_another_leaves_nothing_behind() {
        assert_eq!(secrets(&["sk-very-s", "sk-very-secret"]).hidden("(sk-very-secret)"), "([secret])");
    }

    #[test]
    fn the_values_of_a_query_are_secrets_but_for_its_version() {
        let mut secrets = Secrets::default();
        secrets.add_query(&Url::parse("https://x.test/?api-version=2024-10-21&key=AIza%2Fsecret").unwrap());
        assert_eq!(secrets.hidden("2024-10-21 AIza/secret AIza%2Fsecret"), "2024-10-21 [secret] [secret]");
    }
}
