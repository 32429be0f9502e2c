//! What is wrong with a value, in words that a model can act on.

use serde::{Deserialize, Serialize};

/// One thing wrong with the arguments of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// The place, as a JSON pointer: `/lines/0/qty`; empty for the arguments as a whole.
    pub pointer: String,
    /// The rule that is broken: a JSON Schema keyword (`minimum`, `type`, `required`, ..) or the name of a grammar.
    pub rule: String,
    /// What would be right: "at least 1".
    pub expected: String,
    /// What came, cut to 64 characters: "0".
    pub got: String,
    /// How to mend it, where that can be said: the nearest name, the right case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}
