use agent_core::tool;

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(rename = "page")]
    order: u32,
    /// The page.
    page: u32, //~ two parameters are named `page` on the wire; rename one of them
) -> u32 {
    order + page
}

fn main() {}
