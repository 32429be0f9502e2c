use agent_core::{profile, tool};

/// Ships.
#[tool(providers(profile::ANTHROPIC))]
async fn ship(
    /// What to ship.
    order: agent_tests_shapes::Spaced, //~ `ship.order.full name` has a name that Anthropic refuses; rename it to at most 64 of `a-z`, `A-Z`, `0-9`, `_`, `.` and `-`
) -> u8 {
    let _ = order;
    1
}

fn main() {}
