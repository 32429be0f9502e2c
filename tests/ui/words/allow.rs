use agent_core::tool;

/// Looks up an order.
#[tool(allow(dead_code))] //~ `dead_code` is no warning of this macro; expected `long_description`
async fn look_up() -> u8 {
    1
}

fn main() {}
