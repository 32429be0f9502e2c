use agent_core::ToolSchema;

#[derive(serde::Deserialize, ToolSchema)]
#[serde(from = "u64")] //~ `from` does not go with `ToolSchema`: it changes what is read
struct Order {
    /// The number.
    _number: u64,
}

impl From<u64> for Order {
    fn from(number: u64) -> Self {
        Self { _number: number }
    }
}

fn main() {}
