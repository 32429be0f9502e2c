use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up<T>(
    //~^ a tool is not generic: its schema is one text; name the types
    /// The order.
    order: T,
) -> u8 {
    let _ = order;
    1
}

fn main() {}
