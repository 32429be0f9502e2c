use agent_core::tool;

/// Looks up an order.
#[tool(approval = true)] //~ `approval` stands alone; it takes no value
async fn look_up() -> u8 {
    1
}

fn main() {}
