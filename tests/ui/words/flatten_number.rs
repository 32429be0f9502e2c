use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    #[arg(flatten)]
    order: u64, //~ `order` is an integer; `flatten` takes a struct with named fields as the whole argument object
) -> u64 {
    order
}

fn main() {}
