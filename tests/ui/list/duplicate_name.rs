use agent_core::{tool, tools};

/// Looks up a customer.
#[tool(name = "look_up")]
async fn customer() -> u8 {
    1
}

/// Looks up an order.
#[tool]
async fn look_up() -> u8 {
    1
}

fn main() {
    let _ = tools![look_up, customer]; //~ two tools in this list are named `look_up`
}
