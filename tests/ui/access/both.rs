use agent_core::tool;

/// Cancels an order.
#[tool(mutating, permission = "orders:write", unrestricted)] //~ `unrestricted` lets every caller in, `permission` only some; keep one
async fn cancel() -> u8 {
    1
}

fn main() {}
