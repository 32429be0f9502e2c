//! `with` on a variant.

use agent_core::ToolSchema;
use serde::Deserialize;

mod text {
    use serde::{Deserialize, Deserializer};

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
        String::deserialize(from).map(|text| text.parse().unwrap_or(0))
    }
}

#[derive(Deserialize, ToolSchema)]
enum Id {
    /// A number.
    #[serde(deserialize_with = "text::deserialize")] //~ name the field, and say there `#[arg(as_type = ..)]`
    Number(u32),
    /// None.
    Nothing,
}

fn main() {}
