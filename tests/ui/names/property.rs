use agent_core::{profile, tool};

/// Looks up an order.
#[tool(providers(profile::ANTHROPIC))]
async fn size(
    /// The order.
    größe: u32, //~ parameter `größe` has a name that Anthropic refuses; rename it to at most 64
) -> u32 {
    größe
}

fn main() {}
