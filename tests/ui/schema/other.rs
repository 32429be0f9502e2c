//! A variant for all that is not known.

use agent_core::ToolSchema;

#[derive(serde::Deserialize, ToolSchema)]
#[serde(tag = "kind")]
enum Priority {
    /// Soon.
    High,
    /// Later.
    #[serde(other)] //~ `other` does not go with `ToolSchema`: a model is shown every variant; name them all
    Low,
}

fn main() {}
