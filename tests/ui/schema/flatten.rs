//! Words of a flattened field, of ours and of serde.

use agent_core::ToolSchema;

#[derive(serde::Deserialize, ToolSchema)]
struct Head {
    /// The number.
    _id: u32,
}

#[derive(serde::Deserialize, ToolSchema)]
struct Order {
    /// The head.
    #[arg(flatten)] //~ serde must know of it too; write `#[serde(flatten)]`
    _head: Head,
}

#[derive(serde::Deserialize, ToolSchema)]
struct Other {
    #[serde(flatten)]
    #[arg(example = "a")] //~ a flattened field is not a value of its own; put this on the fields of its type
    _head: Head,
}

fn main() {}
