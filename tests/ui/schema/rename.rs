use agent_core::ToolSchema;

#[derive(serde::Deserialize, ToolSchema)]
struct Order {
    /// The number.
    #[arg(rename = "no")] //~ serde must know the name too; write `#[serde(rename = "..")]`
    _number: u64,
}

fn main() {}
