use agent_core::tool;

use std::sync::Arc;

struct Store;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    store: Arc<Store>, //~ owned is what the model fills in; borrow `&Store`, which a field `Arc<Store>` of the state lends
) -> u8 {
    1
}

fn main() {}
