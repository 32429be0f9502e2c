use agent_core::tool;

/// Cancels an order.
#[tool(mutating, unrestricted, retries = 2)] //~ a mutating tool is not tried again unless its target honours the key that it is handed; add `keyed`, or leave `retries` out
async fn cancel() -> u8 {
    1
}

fn main() {}
