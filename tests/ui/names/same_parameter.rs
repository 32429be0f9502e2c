use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(rename = "page")]
    order: u64,
    /// The page.
    page: u64, //~ two parameters are named `page` on the wire; rename one of them
) -> u64 {
    order + page
}

fn main() {}
