use agent_core::{profile, tool};

/// Ships.
#[tool(providers(profile::GEMINI))]
async fn ship(
    /// What to ship.
    order: agent_tests_shapes::Tree, //~ `ship.order.kids[]` is a type that contains itself in a required field, which Gemini refuses; make that field an `Option`
) -> u8 {
    let _ = order;
    1
}

fn main() {}
