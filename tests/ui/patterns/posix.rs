use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(pattern = r"[[:alpha:]]")] //~ no POSIX classes
    order: String,
) -> bool {
    let _ = order;
    true
}

fn main() {}
