//! A tag with the name of a field of what a variant holds.

use agent_core::ToolSchema;

#[derive(serde::Deserialize, ToolSchema)]
struct Card {
    /// The kind.
    _kind: String,
    /// The number.
    kind: String,
}

#[derive(serde::Deserialize, ToolSchema)]
#[serde(tag = "kind")]
enum Payment {
    /// By card.
    Card(Card), //~ `Card` has a field `kind`, which is the tag's name; rename one of them
    /// Not at all.
    Free,
}

fn main() {}
