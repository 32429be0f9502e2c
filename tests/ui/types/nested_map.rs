use agent_core::{ToolSchema, tool};

use std::collections::BTreeMap;

#[derive(serde::Deserialize, ToolSchema)]
struct Line {
    /// Anything.
    _extra: Option<BTreeMap<String, u32>>, //~ `Line._extra` is a `BTreeMap`
}

#[derive(serde::Deserialize, ToolSchema)]
struct Order {
    /// The lines.
    _lines: Vec<Line>,
}

/// Ships.
#[tool]
async fn ship(
    /// The order.
    order: Order,
) -> u8 {
    let _ = order;
    1
}

fn main() {}
