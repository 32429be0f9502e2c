//! Ids and names of calls, in the characters that the format takes.

use std::borrow::Cow;

/// The longest name and id that is sent.
const LONGEST: usize = 64;

/// An id or a name of `[a-zA-Z0-9_-]`, the same one for the same text.
///
/// Other providers' ids hold points and colons, and models make up names; with one such in its history a
/// conversation would be refused for good. Texts that differ stay different, by a digest at the end.
pub(super) fn taken(text: &str) -> Cow<'_, str> {
    let is_taken = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !text.is_empty() && text.len() <= LONGEST && text.chars().all(is_taken) {
        return Cow::Borrowed(text);
    }
    let digest = format!("_{:016x}", digest(text.as_bytes()));
    let mut name: String =
        text.chars().map(|c| if is_taken(c) { c } else { '_' }).take(LONGEST - digest.len()).collect();
    name += &digest;
    Cow::Owned(name)
}

/// FNV-1a, which is enough to tell the few ids of a conversation apart.
fn digest(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_format_takes_stays() {
        assert_eq!(taken("toolu_01-A"), "toolu_01-A");
    }

    #[test]
    fn other_texts_become_ones_that_differ() {
        let long = "x".repeat(100);
        let names: Vec<_> = ["", "grep:7", "grep.7", "grep_7", "é", &long].map(|text| taken(text).into_owned()).into();
        for (at, name) in names.iter().enumerate() {
            assert!(!name.is_empty() && name.len() <= LONGEST && !names[..at].contains(name), "{name}");
            assert_eq!(taken(name), *name, "it is taken as it is");
        }
    }
}
