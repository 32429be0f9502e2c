use agent_core::tool;

/// Looks up an order.
#[tool(timeout = "5 sec")] //~ expected a whole number and a unit: `500ms`, `5s`, `2m` or `1h`
async fn look_up() -> u8 {
    1
}

fn main() {}
