use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    order: &String, //~ `&String` is borrowed, and borrowed is what the host lends; for the model to fill it in, take `String`
) -> u8 {
    1
}

fn main() {}
