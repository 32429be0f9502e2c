use agent_core::tool;

/// Ships.
#[tool]
async fn ship(
    /// What to ship.
    order: Vec<agent_tests_shapes::Unit>, //~ `ship.order[]` is the unit type `()`, which OpenAI's strict mode refuses; leave it out
) -> u8 {
    let _ = order;
    1
}

fn main() {}
