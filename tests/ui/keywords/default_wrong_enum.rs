use agent_core::{ToolSchema, tool};

#[derive(serde::Deserialize, ToolSchema)]
#[serde(rename_all = "UPPERCASE")]
enum Currency {
    Eur,
    Gbp,
}

/// Looks up an order.
#[tool]
async fn look_up(
    /// The order.
    #[arg(default = "EURO")] //~ the default of `order` is none of `Currency`'s values: `EUR`, `GBP`
    order: Currency,
) -> bool {
    let _ = order;
    true
}

fn main() {}
