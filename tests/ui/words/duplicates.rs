use agent_core::tool;

/// Cancels an order.
#[tool(mutating, unrestricted, duplicates = "twice")] //~ expected `replay` (a second call with the same arguments gives the first result back) or `allow` (it runs)
async fn cancel() -> u8 {
    1
}

fn main() {}
