use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(max_length = 2, default = "abc")] //~ the default does not keep to `max_length = 2`
    order: String,
) -> bool {
    let _ = order;
    true
}

fn main() {}
