//! Digests that nobody can guess without the key.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// A secret key for digests of content, so that the same arguments can be told to be the same by nobody but its owner.
///
/// Arguments are often small: a plain digest of `{"amount":100}` is found by trying amounts. Keep the key apart from the
/// log, and the same key for as long as records are compared.
///
/// ```
/// use agent_telemetry::DigestKey;
/// let key = DigestKey::new(b"thirty-two bytes from a key vault")?;
/// assert_eq!(key.digest("{}"), key.digest("{}"));
/// assert_ne!(key.digest("{}"), DigestKey::new(b"another secret key of some length")?.digest("{}"));
/// # Ok::<(), agent_telemetry::WeakKey>(())
/// ```
#[derive(Clone)]
pub struct DigestKey {
    keyed: Hmac<Sha256>,
}

impl DigestKey {
    /// The shortest key that is taken, in bytes.
    pub const LEAST: usize = 16;

    /// The key of these bytes.
    ///
    /// # Errors
    ///
    /// [`WeakKey`] for less than [`LEAST`](Self::LEAST) bytes.
    pub fn new(key: impl AsRef<[u8]>) -> Result<Self, WeakKey> {
        let key = key.as_ref();
        match Hmac::new_from_slice(key) {
            Ok(keyed) if key.len() >= Self::LEAST => Ok(Self { keyed }),
            _ => Err(WeakKey { why: "it is shorter than 16 bytes" }),
        }
    }

    /// A key of this process: what it digests can be compared until the process ends.
    ///
    /// # Errors
    ///
    /// [`WeakKey`] where the system gives no randomness.
    pub fn random() -> Result<Self, WeakKey> {
        let mut key = [0; 32];
        getrandom::fill(&mut key).map_err(|_| WeakKey { why: "the system gives no randomness" })?;
        Self::new(key)
    }

    /// HMAC-SHA-256 of the text under the key: 64 hexadecimal digits.
    pub fn digest(&self, text: &str) -> String {
        let mut mac = self.keyed.clone();
        mac.update(text.as_bytes());
        hex(&mac.finalize().into_bytes())
    }
}

impl fmt::Debug for DigestKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("DigestKey(..)")
    }
}

/// A key that protects nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the key cannot be used: {why}")]
pub struct WeakKey {
    why: &'static str,
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        text.push(char::from(DIGITS[usize::from(byte >> 4)]));
        text.push(char::from(DIGITS[usize::from(byte & 15)]));
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_of_rfc_4231() {
        let key = DigestKey::new([0x0b; 20]).unwrap();
        assert_eq!(key.digest("Hi There"), "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    }

    #[test]
    fn a_short_key_is_refused_and_no_key_is_shown() {
        assert!(DigestKey::new(b"0123456789abcde").is_err());
        assert_eq!(format!("{:?}", DigestKey::new(b"0123456789abcdef").unwrap()), "DigestKey(..)");
    }
}
