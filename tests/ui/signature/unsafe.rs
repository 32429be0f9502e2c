use agent_core::tool;

/// Looks up an order.
#[tool]
async unsafe fn look_up() -> u8 { //~ a model may call a tool at any time; it cannot be `unsafe`
    1
}

fn main() {}
