//! The name that was probably meant.

/// Longest name that is compared; the table is quadratic in it.
const LONGEST: usize = 64;

/// The candidate nearest to `name`, if one is near enough to be a slip of the pen.
pub(crate) fn nearest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let name: Vec<char> = name.chars().take(LONGEST + 1).flat_map(char::to_lowercase).collect();
    if name.len() > LONGEST {
        return None;
    }
    candidates
        .into_iter()
        .filter_map(|candidate| {
            let other: Vec<char> = candidate.chars().take(LONGEST).flat_map(char::to_lowercase).collect();
            let most = name.len().max(other.len()).div_ceil(3);
            // The table is not made where the lengths alone say no.
            let near = name.len().abs_diff(other.len()) <= most;
            near.then(|| (distance(&name, &other), candidate)).filter(|(distance, _)| *distance <= most)
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Insertions, deletions, replacements and swaps of neighbours between two words (optimal string alignment).
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let mut best = (last[j] + usize::from(x != y)).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_recognised_and_another_word_is_not() {
        let names = ["quantity", "taxAmount", "id"];
        assert_eq!(nearest("quantitiy", names), Some("quantity"));
        assert_eq!(nearest("qauntity", names), Some("quantity"));
        assert_eq!(nearest("tax_amount", names), Some("taxAmount"));
        assert_eq!(nearest("ID", names), Some("id"));
        assert_eq!(nearest("colour", names), None);
        assert_eq!(nearest(&"x".repeat(10_000), names), None);
    }

    #[test]
    fn the_distance_counts_single_slips() {
        let distance = |a: &str, b: &str| distance(&a.chars().collect::<Vec<_>>(), &b.chars().collect::<Vec<_>>());
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", ""), 3);
        assert_eq!(distance("ab", "ba"), 1);
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
