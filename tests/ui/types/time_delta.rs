use agent_core::tool;

/// Waits.
#[tool]
async fn wait(
    /// How long.
    span: Option<chrono::TimeDelta>, //~ `wait.span` is a `TimeDelta`, which is a tuple on the wire, and refused by the strict modes of OpenAI and Anthropic; use `std::time::Duration`
) -> bool {
    span.is_none()
}

fn main() {}
