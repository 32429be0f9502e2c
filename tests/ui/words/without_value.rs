use agent_core::tool;

/// Looks up an order.
#[tool(permission)] //~ `permission` needs a value: `permission = "billing:write"`
async fn look_up() -> u8 {
    1
}

fn main() {}
