use agent_core::{profile, tool};

type Who = Option<agent_tests_shapes::Spaced>;

/// Ships.
#[tool(providers(profile::ANTHROPIC))]
async fn ship(
    /// What to ship.
    order: Who, //~ `ship.order.full name` has a name that Anthropic refuses; rename it to at most 64 of `a-z`, `A-Z`, `0-9`, `_`, `.` and `-`
) -> u8 {
    let _ = order;
    1
}

fn main() {}
