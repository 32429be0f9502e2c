use agent_core::tool;

/// Looks up an order.
#[tool]
struct LookUp; //~ `#[tool]` goes on an `async fn`

fn main() {}
