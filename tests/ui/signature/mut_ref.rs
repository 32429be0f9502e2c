use agent_core::tool;

struct Store;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    store: &mut Store, //~ a tool borrows `&Store`, not `&mut`: calls may run side by side; put what changes behind a lock inside it
) -> u8 {
    1
}

fn main() {}
