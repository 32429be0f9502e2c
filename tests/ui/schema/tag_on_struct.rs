//! A tag on a struct.

use agent_core::ToolSchema;

#[derive(serde::Deserialize, ToolSchema)]
#[serde(tag = "kind")] //~ on a struct, `tag` is one more field that the model is not shown; leave it out
struct Order {
    /// The number.
    _id: u32,
}

fn main() {}
