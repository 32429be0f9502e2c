use agent_core::{ToolSchema, tool};

#[derive(serde::Deserialize, ToolSchema)]
struct Page<T> {
    /// The item.
    #[arg(min_length = 1)]
    _item: T,
}

/// Ships.
#[tool]
async fn ship(
    /// The order.
    order: Page<u64>, //~ `min_length` does not fit `_item`, which is an integer
) -> u8 {
    let _ = order;
    1
}

fn main() {}
