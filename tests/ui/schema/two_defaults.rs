use agent_core::ToolSchema;

#[derive(serde::Deserialize, ToolSchema)]
struct Order {
    /// The number.
    #[serde(default)]
    #[arg(default = 1)] //~ serde has a default for this field already; keep one
    _number: u64,
}

fn main() {}
