use agent_core::{ToolSchema, tool};

#[derive(serde::Deserialize, ToolSchema)]
struct Order {
    /// The number.
    number: u64,
}

/// Looks up an order.
#[tool]
async fn look_up(
    #[arg(flatten)] //~ a flattened struct is the whole argument object; the model fills in no other parameter
    order: Order,
    /// The page.
    page: u64,
) -> u64 {
    order.number + page
}

fn main() {}
