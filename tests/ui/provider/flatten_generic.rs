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
    order: Order<agent_tests_shapes::Head>, //~ `ship.order` has two fields named `number` once `Head` is flattened; rename one of them
) -> u8 {
    let _ = order;
    1
}

fn main() {}
