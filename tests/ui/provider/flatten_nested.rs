use agent_core::{ToolSchema, tool};

#[derive(serde::Deserialize, ToolSchema)]
struct Head {
    /// The number.
    number: u32,
}

#[derive(serde::Deserialize, ToolSchema)]
struct Between {
    #[serde(flatten)]
    _head: Head,
    /// Other.
    other: u32,
}

#[derive(serde::Deserialize, ToolSchema)]
struct Order {
    #[serde(flatten)]
    _head: Between, //~ `Order` has two fields named `number` once `Between` is flattened; rename one of them
    /// The number.
    number: u32,
}

/// Ships.
#[tool]
async fn ship(
    /// What to ship.
    order: Order,
) -> u8 {
    let _ = order;
    1
}

fn main() {}
