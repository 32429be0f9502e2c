use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(default = 300)] //~ the default of `order` is outside its type, which goes from 0 to 255
    order: u8,
) -> bool {
    let _ = order;
    true
}

fn main() {}
