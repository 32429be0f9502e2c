//! A mistake that two of the profiles refuse is one error, in the words of the first.

use agent_core::{profile, tool};

/// Ships.
#[tool(providers(profile::OPENAI, profile::AZURE, profile::PORTABLE))]
async fn ship(
    /// What to ship.
    order: agent_tests_shapes::Deep10, //~ `ship.order.d.d.d.d.d.d.d.d.d` nests objects more than 10 deep, which OpenAI refuses; flatten the arguments
) -> u8 {
    let _ = order;
    1
}

fn main() {}
