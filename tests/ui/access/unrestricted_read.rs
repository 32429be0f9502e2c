use agent_core::tool;

/// Looks up an order.
#[tool(unrestricted)] //~ `unrestricted` goes with `mutating`; this tool only reads
async fn look_up() -> u8 {
    1
}

fn main() {}
