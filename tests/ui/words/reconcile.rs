use agent_core::tool;

async fn find() -> u8 {
    1
}

/// Cancels an order.
#[tool(mutating, unrestricted, reconcile = find)] //~ no method named `outcome` found
async fn cancel() -> u8 {
    1
}

fn main() {}
