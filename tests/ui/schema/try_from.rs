use agent_core::ToolSchema;

#[derive(serde::Deserialize, ToolSchema)]
#[serde(from = "u32")] //~ `from` does not go with `ToolSchema`: it changes what is read
struct Order {
    /// The number.
    _number: u32,
}

impl From<u32> for Order {
    fn from(number: u32) -> Self {
        Self { _number: number }
    }
}

fn main() {}
