use agent_core::tool;

/// Ships.
#[tool]
async fn ship(
    /// What to ship.
    order: Vec<agent_tests_shapes::Value>, //~ `order[]` is a `serde_json::Value` of any form; name the fields
) -> u8 {
    let _ = order;
    1
}

fn main() {}
