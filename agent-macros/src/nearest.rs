//! The word that was probably meant.

use crate::symbol::Symbol;

/// The rest of a message on an unknown word: the nearest of `known`, or all of them.
pub(crate) fn instead(word: &str, known: &[Symbol]) -> String {
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
}
