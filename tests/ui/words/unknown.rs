use agent_core::tool;

/// Looks up an order.
#[tool(permissions = "orders:read")] //~ unknown word `permissions`; did you mean `permission`?
async fn look_up() -> u8 {
    1
}

fn main() {}
