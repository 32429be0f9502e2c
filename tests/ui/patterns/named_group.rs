//! A named group in the syntax of one of the two.

use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// Which.
    #[arg(pattern = "(?P<year>[0-9]{4})")] //~ write `(?:..)` without a name
    id: String,
) {
    let _ = id;
}

fn main() {}
