//! `with` beside an optional schema: serde asks for the field all the same.

use agent_core::ToolSchema;
use serde::Deserialize;

fn read<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<u32>, D::Error> {
    let text = Option::<String>::deserialize(from)?;
    Ok(text.and_then(|text| text.parse().ok()))
}

#[derive(Deserialize, ToolSchema)]
struct Order {
    /// The number.
    #[serde(deserialize_with = "read")] //~ with `deserialize_with`, serde does not take an absent field for `None`
    #[arg(as_type = Option<String>)]
    _id: Option<u32>,
}

fn main() {}
