use agent_core::tool;

/// Looks up an order.
#[tool]
fn look_up() -> u8 { //~ a tool is an async function; write `async fn`
    1
}

fn main() {}
