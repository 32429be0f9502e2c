//! A mistake that two of the profiles refuse is one error; another that only one of them refuses is one more.

use agent_core::{profile, tool};

/// Ships.
#[tool(name = "2nd", providers(profile::ANTHROPIC, profile::PORTABLE))]
async fn ship( //~ tool name `2nd` begins with a sign that at least one provider refuses; begin it with a letter or `_`
    /// What to ship.
    order: agent_tests_shapes::Tree, //~ `2nd.order.kids[]` is a type that contains itself, which Anthropic refuses; unroll it
    /// What it is called.
    #[arg(rename = "full name")] //~ parameter `full name` has a name that Anthropic refuses
    name: String,
) -> u8 {
    let _ = (order, name);
    1
}

fn main() {}
