use agent_core::tool;

/// Looks up an order.
#[tool(mutable)] //~ unknown word `mutable`; did you mean `mutating`?
async fn look_up(
    id: &str, //~ take `String`
    page: u8, //~ the model is shown what `page` is
    /// The name.
    #[arg(pattern = "\\d")] //~ write `[0-9]`
    name: String,
) -> u8 {
    1
}

fn main() {}
