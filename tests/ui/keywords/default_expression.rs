use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(default = 1 + 1)] //~ expected a boolean, a number, a string or a list of these
    order: u8,
) -> bool {
    let _ = order;
    true
}

fn main() {}
