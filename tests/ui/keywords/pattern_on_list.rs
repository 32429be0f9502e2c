use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(pattern = "^a$")] //~ `pattern` does not fit `order`, which is an array; use `min_items` or `max_items`; a rule for each item stands on a field of a struct
    order: Vec<String>,
) -> bool {
    let _ = order;
    true
}

fn main() {}
