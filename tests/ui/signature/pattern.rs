use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    (order, page): (u64, u64), //~ a tool's parameter is a plain name, which the model is shown; take it apart in the body
) -> u8 {
    1
}

fn main() {}
