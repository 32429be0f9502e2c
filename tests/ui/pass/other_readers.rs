//! Types that are read by functions or stand under the schema of others.
#![deny(warnings, missing_docs, unsafe_code, unreachable_pub, clippy::all, clippy::pedantic, rust_2018_idioms)]

use agent_core::{ToolSchema, tool, tools};
use serde::{Deserialize, Deserializer};

/// Of no schema.
#[derive(Deserialize)]
pub struct Pair<A, B>(A, B);

/// Has one.
#[derive(Deserialize, ToolSchema)]
pub struct Both<A, B> {
    /// One.
    pub a: A,
    /// Two.
    pub b: B,
}

mod text {
    use super::{Deserialize, Deserializer};

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
        String::deserialize(from).map(|text| text.parse().unwrap_or(0))
    }
}

fn optional<'de, D: Deserializer<'de>>(from: D) -> Result<Option<u32>, D::Error> {
    Option::<String>::deserialize(from).map(|text| text.and_then(|text| text.parse().ok()))
}

/// An order.
#[derive(Deserialize, ToolSchema)]
pub struct Order {
    /// The number, in digits.
    #[serde(with = "text")]
    #[arg(as_type = String, min_length = 1)]
    pub number: u32,
    /// The next.
    #[serde(deserialize_with = "optional", default)]
    #[arg(as_type = Option<String>)]
    pub next: Option<u32>,
    /// Parts.
    #[arg(as_type = Both<u8, Vec<u8>>)]
    pub parts: Pair<u8, Vec<u8>>,
}

/// Orders.
#[tool]
pub async fn order(
    /// The order.
    order: Order,
    /// More parts.
    #[arg(as_type = Vec<Both<u8, Both<u8, u8>>>, max_items = 3)]
    more: Pair<u8, Vec<u8>>,
) -> u32 {
    let _ = (order.next, order.parts.0, order.parts.1, more.0, more.1);
    order.number
}

fn main() {
    let _ = tools![order];
}
