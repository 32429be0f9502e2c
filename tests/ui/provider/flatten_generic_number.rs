use agent_core::{ToolSchema, tool};

#[derive(serde::Deserialize, ToolSchema)]
struct Order<T> {
    #[serde(flatten)]
    _head: T,
    /// The number.
    number: u32,
}

/// Ships.
#[tool]
async fn ship(
    /// What to ship.
    order: Vec<Order<u32>>, //~ `ship.order[]` flattens `_head`, which is an integer; only a struct with named fields can be flattened
) -> u8 {
    let _ = order;
    1
}

fn main() {}
