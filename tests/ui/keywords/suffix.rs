use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(minimum = 1u8)] //~ the type says what `u8` would; leave it out
    order: u8,
) -> bool {
    let _ = order;
    true
}

fn main() {}
