use agent_core::tool;

/// Looks up an order.
#[tool(name = "a", name = "b")] //~ `name` is given twice; keep one
async fn look_up() -> u8 {
    1
}

fn main() {}
