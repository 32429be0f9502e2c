//! `#[arg]` on a variant.

use agent_core::ToolSchema;

#[derive(serde::Deserialize, ToolSchema)]
enum Priority {
    /// Soon.
    #[arg(rename = "high")] //~ `#[arg]` goes on the fields of a variant
    High,
    /// Later.
    Low,
}

fn main() {}
