use agent_core::tool;

type Filter = Vec<agent_tests_shapes::Names2048>;

/// Ships.
#[tool]
async fn ship(
    /// What to ship.
    order: Filter, //~ ` brings the tool to more than 120000 characters of names and enum values, which OpenAI refuses; split the tool
) -> u8 {
    let _ = order;
    1
}

fn main() {}
