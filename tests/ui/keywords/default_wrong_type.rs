use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(default = "one")] //~ the default of `order` is a string, its type is an integer
    order: u8,
) -> bool {
    let _ = order;
    true
}

fn main() {}
