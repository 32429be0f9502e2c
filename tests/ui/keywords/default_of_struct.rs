use agent_core::{ToolSchema, tool};

#[derive(serde::Deserialize, ToolSchema)]
struct Page {
    /// The number.
    _number: u64,
}

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(default = 1)] //~ `order` is an object, for which an attribute cannot write a value; make it an `Option` and fill it in the function
    order: Page,
) -> bool {
    let _ = order;
    true
}

fn main() {}
