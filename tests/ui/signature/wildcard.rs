use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    _: u64, //~ a tool's parameter is a plain name
) -> u8 {
    1
}

fn main() {}
