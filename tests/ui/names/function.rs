use agent_core::tool;

/// Looks up an order.
#[tool]
async fn größe() -> u8 { //~ this one has `ö`; give it another with `#[tool(name = "..")]`
    1
}

fn main() {}
