use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(default = [1, "b"])] //~ the default of `order` is a string, its type is an integer
    order: Vec<u8>,
) -> bool {
    let _ = order;
    true
}

fn main() {}
