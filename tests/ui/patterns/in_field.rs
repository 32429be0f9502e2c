use agent_core::ToolSchema;

#[derive(serde::Deserialize, ToolSchema)]
struct Order {
    /// The country.
    #[arg(pattern = "^(?!GB)")] //~ no look-around
    _country: String,
}

fn main() {}
