use agent_core::tool;

/// Cancels an order.
#[tool(mutating)] //~ a mutating tool says who may call it: add `permission = ".."` or `unrestricted`
async fn cancel() -> u8 {
    1
}

fn main() {}
