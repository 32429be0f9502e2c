//! A type that reads names.

use agent_core::ToolSchema;

#[derive(serde::Deserialize, ToolSchema)]
#[serde(field_identifier)] //~ such a type reads names, which a model does not fill in
enum Key {
    /// One.
    One,
    /// Two.
    Two,
}

fn main() {}
