use agent_core::tool;

struct Store;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    store: &'static Store, //~ state is lent for one call; leave the lifetime out
) -> u8 {
    1
}

fn main() {}
