//! Whether a text matches, and what a pattern costs: what a default is held to while the tool compiles.

use std::collections::BTreeSet;

use super::grammar::Node;

/// Whether the pattern matches somewhere in the text.
pub(super) fn is_match(pattern: &Node, text: &str) -> bool {
    let text: Vec<char> = text.chars().collect();
    let everywhere = (0..=text.len()).collect();
    !after(pattern, &text, &everywhere).is_empty()
}

/// The places at which a match can end that begins at one of these: all of them, so that nothing is tried twice.
fn after(node: &Node, text: &[char], from: &BTreeSet<usize>) -> BTreeSet<usize> {
    let one = |is: &dyn Fn(char) -> bool| {
        from.iter().filter(|at| text.get(**at).is_some_and(|letter| is(*letter))).map(|at| at + 1).collect()
    };
    match node {
        Node::Start => from.iter().copied().filter(|at| *at == 0).collect(),
        Node::End => from.iter().copied().filter(|at| *at == text.len()).collect(),
        // As in ECMA-262: all but its four ends of lines.
        Node::Any => one(&|letter| !matches!(letter, '\n' | '\r' | '\u{2028}' | '\u{2029}')),
        Node::One(is) => one(&|letter| letter == *is),
        Node::Class { negated, ranges } => {
            one(&|letter| ranges.iter().any(|(first, last)| (*first..=*last).contains(&letter)) != *negated)
        }
        Node::All(nodes) => nodes.iter().fold(from.clone(), |from, node| after(node, text, &from)),
        Node::Either(nodes) => nodes.iter().flat_map(|node| after(node, text, from)).collect(),
        Node::Times { least, most, node } => {
            // By then only repetitions of nothing are left, and one more of them changes nothing.
            let settled = u32::try_from(2 * text.len() + 4).unwrap_or(u32::MAX);
            let mut now = from.clone();
            for _ in 0..(*least).min(settled) {
                now = after(node, text, &now);
            }
            let mut all = now.clone();
            for _ in *least..most.unwrap_or(u32::MAX).min(least.saturating_add(settled)) {
                now = after(node, text, &now);
                let before = all.len();
                all.extend(&now);
                if all.len() == before {
                    break;
                }
            }
            all
        }
    }
}

/// The most that a pattern may cost. `regex` compiles all that is within it; of what is beyond it, some.
pub(super) const MOST: u64 = 100_000;

/// What a pattern costs: about the states that `regex` makes of it.
pub(super) fn cost(node: &Node) -> u64 {
    match node {
        Node::Start | Node::End => 1,
        Node::One(letter) => letter.len_utf8() as u64,
        Node::Any => 24,
        Node::Class { negated, ranges } => {
            let wide = ranges.iter().filter(|(_, last)| !last.is_ascii()).count() as u64;
            2 + ranges.len() as u64 + 24 * (wide + u64::from(*negated))
        }
        Node::All(nodes) | Node::Either(nodes) => {
            nodes.iter().map(cost).fold(1 + nodes.len() as u64, u64::saturating_add)
        }
        Node::Times { least, most, node } => {
            let times = u64::from(most.unwrap_or(least.saturating_add(1)).max(1));
            cost(node).saturating_add(1).saturating_mul(times)
        }
    }
}
