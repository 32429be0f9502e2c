use agent_core::tool;
use agent_tests_shapes::Values600;

/// Ships.
#[tool]
async fn ship( //~ the arguments together have more than 1000 enum values, which OpenAI refuses
    /// The first.
    first: Values600,
    /// The second.
    second: Values600,
) -> u8 {
    let _ = (first, second);
    1
}

fn main() {}
