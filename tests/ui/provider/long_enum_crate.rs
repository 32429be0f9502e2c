use agent_core::tool;

/// Ships.
#[tool]
async fn ship(
    /// What to ship.
    order: agent_tests_shapes::Long, //~ `ship.order` has 251 values of 15060 characters together, and over 250 values OpenAI takes at most 15000 characters; shorten them
) -> u8 {
    let _ = order;
    1
}

fn main() {}
