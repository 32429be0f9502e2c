use agent_core::tool;

/// Ships.
#[tool]
async fn ship(
    /// What to ship.
    order: Vec<agent_tests_shapes::Tuple>, //~ `order[]` is a tuple; use a struct with named fields
) -> u8 {
    let _ = order;
    1
}

fn main() {}
