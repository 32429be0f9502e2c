use agent_core::tool;

/// Looks up an order.
#[tool(name = "look up")] //~ a tool's name is of `a-z`, `A-Z`, `0-9`, `_` and `-`; this one has ` `
async fn look_up() -> u8 {
    1
}

fn main() {}
