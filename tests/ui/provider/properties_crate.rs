use agent_core::tool;

/// Ships.
#[tool]
async fn ship(
    /// What to ship.
    order: agent_tests_shapes::Properties5114, //~ ` brings the tool to more than 5000 properties, which OpenAI refuses; split the tool
) -> u8 {
    let _ = order;
    1
}

fn main() {}
