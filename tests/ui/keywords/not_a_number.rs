use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(minimum = "one")] //~ expected a number, such as `1`, `-2` or `0.5`
    order: u8,
) -> bool {
    let _ = order;
    true
}

fn main() {}
