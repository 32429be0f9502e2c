use std::time::Duration;

use agent_core::tool;

/// Waits.
#[tool]
async fn pause(
    /// How long.
    #[arg(maximum = -1)] //~ `maximum` is outside the values of `span`, whose type goes from 0 to 18446744073709551615
    span: Duration,
) -> bool {
    span.is_zero()
}

fn main() {}
