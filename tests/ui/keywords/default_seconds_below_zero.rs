use std::time::Duration;

use agent_core::tool;

/// Waits.
#[tool]
async fn pause(
    /// How long.
    #[arg(default = -1)] //~ the default of `span` is less than 0, which a number of seconds cannot be
    span: Duration,
) -> bool {
    span.is_zero()
}

fn main() {}
