use agent_core::tool;

/// Looks up an order.
#[tool(name = 3)] //~ expected `name = "record_invoice"`
async fn look_up() -> u8 {
    1
}

fn main() {}
