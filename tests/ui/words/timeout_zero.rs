use agent_core::tool;

/// Looks up an order.
#[tool(timeout = "0s")] //~ no tool ends within no time; give at least `1ms`
async fn look_up() -> u8 {
    1
}

fn main() {}
