use agent_core::{profile, tool};

type Parts = Vec<agent_tests_shapes::Tree>;

/// Ships.
#[tool(providers(profile::ANTHROPIC))]
async fn ship(
    /// What to ship.
    order: Parts, //~ `ship.order[].kids[]` is a type that contains itself, which Anthropic refuses; unroll it to a fixed depth, or take a flat list with parent ids
) -> u8 {
    let _ = order;
    1
}

fn main() {}
