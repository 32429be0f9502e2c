//! `#[arg]` above a type.

use agent_core::ToolSchema;

#[derive(serde::Deserialize, ToolSchema)]
#[arg(minimum = 1)] //~ above a type, `#[arg(..)]` takes only `crate = path`; `minimum` belongs on a field
struct Order {
    /// The number.
    _id: u32,
}

fn main() {}
