use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(format = "mail")] //~ unknown format; expected `date-time`, `time`, `date`, `duration`, `email`
    order: String,
) -> bool {
    let _ = order;
    true
}

fn main() {}
