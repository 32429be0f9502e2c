use agent_core::tool;

/// Cancels an order.
#[tool(mutating, permission = "")] //~ a permission has a name; `unrestricted` lets every caller in
async fn cancel() -> u8 {
    1
}

fn main() {}
