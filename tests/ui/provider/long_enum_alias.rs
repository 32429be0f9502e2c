use agent_core::tool;

type Which = agent_tests_shapes::Long;

/// Ships.
#[tool]
async fn ship(
    /// What to ship.
    order: Which, //~ `ship.order` has 251 values of 15060 characters together, and over 250 values OpenAI takes at most 15000 characters; shorten them
) -> u8 {
    let _ = order;
    1
}

fn main() {}
