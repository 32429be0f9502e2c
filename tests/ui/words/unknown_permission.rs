use agent_core::tool;

/// Closes an order.
#[tool(mutating, permision = "orders:write")] //~ unknown word `permision`; did you mean `permission`?
async fn close() -> u8 {
    1
}

fn main() {}
