use agent_core::tool;

async fn find() -> u8 {
    1
}

/// Cancels an order.
#[tool(mutating, unrestricted, reconcile = find)] //~ a `reconcile` function returns `Result<Option<T>, E>`, not `u8`
async fn cancel() -> u8 {
    1
}

fn main() {}
