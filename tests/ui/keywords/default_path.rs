//! Defaults as Rust writes them.

use agent_core::{ToolSchema, tool};

#[derive(serde::Deserialize, ToolSchema)]
enum Priority {
    /// Soon.
    High,
}

/// Looks up an order.
#[tool]
async fn look_up(
    /// How soon.
    #[arg(default = Priority::High)] //~ write the value as it stands on the wire
    priority: Priority,
    /// Which.
    #[arg(default = None)] //~ what is left out of an `Option` is `None` already; say nothing
    id: Option<u32>,
    /// Whose.
    #[arg(default = Some(1))] //~ write the value without the `Some(..)` around it
    of: Option<u32>,
) -> u8 {
    1
}

fn main() {}
