use agent_core::{profile, tool};
use agent_tests_shapes::{Page, Tree};

/// Ships.
#[tool(providers(profile::ANTHROPIC))]
async fn ship(
    /// What to ship.
    order: Page<Tree>, //~ `ship.order.items[].kids[]` is a type that contains itself, which Anthropic refuses; unroll it to a fixed depth, or take a flat list with parent ids
) -> u8 {
    let _ = order;
    1
}

fn main() {}
