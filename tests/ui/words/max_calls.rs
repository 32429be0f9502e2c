use agent_core::tool;

/// Looks up an order.
#[tool(max_calls = 0)] //~ `max_calls = 0` says nothing; leave it out or give at least 1
async fn look_up() -> u8 {
    1
}

fn main() {}
