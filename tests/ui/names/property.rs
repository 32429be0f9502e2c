use agent_core::{profile, tool};

/// Looks up an order.
#[tool(providers(profile::ANTHROPIC))]
async fn size( //~ parameter `größe` has a name that Anthropic refuses; rename it to at most 64
    /// The order.
    größe: u64,
) -> u64 {
    größe
}

fn main() {}
