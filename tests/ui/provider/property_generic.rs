use agent_core::{profile, tool};
use agent_tests_shapes::{Page, Spaced};

/// Ships.
#[tool(providers(profile::ANTHROPIC))]
async fn ship(
    /// What to ship.
    order: Page<Spaced>, //~ `ship.order.items[].full name` has a name that Anthropic refuses; rename it to at most 64 of `a-z`, `A-Z`, `0-9`, `_`, `.` and `-`
) -> u8 {
    let _ = order;
    1
}

fn main() {}
