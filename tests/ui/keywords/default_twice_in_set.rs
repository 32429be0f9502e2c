use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(default = ["a", "b", "a"])] //~ the default of `order` has an item twice, and its type is a set
    order: std::collections::BTreeSet<String>,
) -> bool {
    let _ = order;
    true
}

fn main() {}
