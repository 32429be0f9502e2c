//! The word that was probably meant.

use crate::symbol::{self, Symbol};

/// What others call our words.
const SYNONYMS: [(Symbol, &[&str]); 15] = [
    (symbol::MINIMUM, &["min", "min_value", "ge", "gte", "at_least"]),
    (symbol::MAXIMUM, &["max", "max_value", "le", "lte", "at_most"]),
    (symbol::EXCLUSIVE_MINIMUM, &["gt", "greater_than", "more_than"]),
    (symbol::EXCLUSIVE_MAXIMUM, &["lt", "less_than"]),
    (symbol::MIN_LENGTH, &["min_len", "minlen", "min_size", "min_chars"]),
    (symbol::MAX_LENGTH, &["max_len", "maxlen", "max_size", "max_chars", "length", "len"]),
    (symbol::MIN_ITEMS, &["min_count"]),
    (symbol::MAX_ITEMS, &["max_count"]),
    (symbol::PATTERN, &["regex", "regexp", "matches"]),
    (symbol::PERMISSION, &["role", "roles", "scope", "scopes", "requires"]),
    (symbol::UNRESTRICTED, &["public", "open", "anyone"]),
    (symbol::MUTATING, &["write", "writes", "effect", "side_effect", "side_effects", "destructive"]),
    (symbol::APPROVAL, &["confirm", "approve", "confirmation"]),
    (symbol::MAX_CALLS, &["limit", "rate_limit"]),
    (symbol::TIMEOUT, &["deadline"]),
];

/// Words that are said otherwise: by which words it is known where they were written, and what to do.
const OTHERWISE: [(Symbol, &[&str], &str); 4] = [
    (
        symbol::EXAMPLE,
        &["description", "desc", "doc", "docs", "help", "title"],
        "the doc comment above the parameter or field is its description",
    ),
    (
        symbol::EXAMPLE,
        &["optional", "required", "nullable", "skip"],
        "what may be left out is an `Option<T>`, or has a `default`",
    ),
    (
        symbol::MUTATING,
        &["description", "desc", "doc", "docs", "help", "title"],
        "the doc comment above the function is its description",
    ),
    (
        symbol::MUTATING,
        &["read", "reads", "read_only", "readonly", "pure"],
        "a tool without `mutating` only reads; leave it out",
    ),
];

/// The rest of a message on an unknown word: what to do instead, the nearest of `known`, or all of them.
pub(crate) fn instead(word: &str, known: &[Symbol]) -> String {
    let otherwise = OTHERWISE.iter().find(|(place, words, _)| known.contains(place) && words.contains(&word));
    if let Some((_, _, what)) = otherwise {
        return (*what).to_owned();
    }
    let synonym = SYNONYMS.iter().find(|(ours, theirs)| known.contains(ours) && theirs.contains(&word));
    if let Some((ours, _)) = synonym {
        return format!("did you mean `{ours}`?");
    }
    match known.iter().map(|known| (distance(word, known.0), known)).min_by_key(|(distance, _)| *distance) {
        Some((far, nearest)) if far <= word.len().max(nearest.0.len()) / 2 => format!("did you mean `{nearest}`?"),
        _ => format!("expected {}", list(known.iter().map(|known| known.0))),
    }
}

/// "`a`, `b` or `c`".
pub(crate) fn list<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<String> = words.into_iter().map(|word| format!("`{word}`")).collect();
    match words.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// How many letters must be added, dropped or changed.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let changed = corner + usize::from(x != *y);
            corner = row[j + 1];
            row[j + 1] = changed.min(corner + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::instead;
    use crate::symbol;

    #[test]
    fn the_nearest_word_is_offered_or_all_are() {
        let words = [symbol::MUTATING, symbol::PERMISSION];
        assert_eq!(instead("mutable", &words), "did you mean `mutating`?");
        assert_eq!(instead("x", &words), "expected `mutating` or `permission`");
    }

    #[test]
    fn words_of_other_crates_lead_to_ours() {
        let words = [symbol::MINIMUM, symbol::MIN_LENGTH, symbol::MULTIPLE_OF, symbol::EXAMPLE];
        assert_eq!(instead("min", &words), "did you mean `minimum`?");
        assert_eq!(instead("min_len", &words), "did you mean `min_length`?");
        assert_eq!(instead("optional", &words), "what may be left out is an `Option<T>`, or has a `default`");
        assert_eq!(instead("read_only", &[symbol::MUTATING]), "a tool without `mutating` only reads; leave it out");
    }
}
