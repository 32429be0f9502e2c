//! `with` in a newtype.

use agent_core::ToolSchema;
use serde::Deserialize;

fn read<'de, D: serde::Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
    String::deserialize(from).map(|text| text.parse().unwrap_or(0))
}

#[derive(Deserialize, ToolSchema)]
struct Id(#[serde(deserialize_with = "read")] u32); //~ `deserialize_with` changes what is read

fn main() {}
