//! Words on a field that serde skips.

use agent_core::ToolSchema;

#[derive(serde::Deserialize, ToolSchema)]
struct Order {
    /// The number.
    #[serde(skip)]
    #[arg(minimum = 1)] //~ serde skips this field, so the model does not fill it in
    _id: u32,
}

fn main() {}
