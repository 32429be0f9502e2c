use agent_core::tool;

struct Store;

/// Looks up an order.
#[tool]
async fn look_up(
    #[arg(minimum = 1)] //~ `#[arg]` is for what the model fills in; a borrowed parameter comes from the host
    store: &Store,
) -> u64 {
    let _ = store;
    1
}

fn main() {}
