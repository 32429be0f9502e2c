use agent_core::tool;

struct Store;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    store: Option<&Store>, //~ what a tool borrows is always there, a state without it does not compile; borrow `&Store`
) -> u8 {
    1
}

fn main() {}
