use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    orders: &Vec<u64>, //~ `&Vec<u64>` is borrowed, and borrowed is what the host lends; for the model to fill it in, take `Vec<u64>`
) -> u8 {
    1
}

fn main() {}
