use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    orders: Vec<&str>, //~ what the model fills in is owned; take `String` for `&str`
) -> u8 {
    1
}

fn main() {}
