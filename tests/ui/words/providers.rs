use agent_core::tool;

/// Looks up an order.
#[tool(providers())] //~ `providers(..)` is empty; expected `providers(profile::OPENAI)`
async fn look_up() -> u8 {
    1
}

fn main() {}
