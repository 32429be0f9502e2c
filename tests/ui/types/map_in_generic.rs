use agent_core::{ToolSchema, tool};

use std::collections::BTreeMap;

#[derive(serde::Deserialize, ToolSchema)]
struct Page<T> {
    /// The items.
    _items: Vec<T>,
}

/// Ships.
#[tool]
async fn ship(
    /// The orders.
    orders: Page<BTreeMap<String, u32>>, //~ `ship.orders._items[]` is a `BTreeMap`
) -> u8 {
    let _ = orders;
    1
}

fn main() {}
