use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    order: impl Into<String>, //~ `impl` makes a tool generic; name the type
) -> u8 {
    1
}

fn main() {}
