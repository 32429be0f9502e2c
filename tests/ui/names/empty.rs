use agent_core::tool;

/// Looks up an order.
#[tool(name = "")] //~ a tool's name has 1 to 64 characters, this one has 0
async fn look_up() -> u8 {
    1
}

fn main() {}
