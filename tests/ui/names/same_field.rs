use agent_core::ToolSchema;

#[derive(serde::Deserialize, ToolSchema)]
struct Order {
    /// The number.
    #[serde(rename = "id")]
    _number: u32,
    /// The name.
    #[serde(rename = "id")] //~ two fields are named `id` on the wire; rename one of them
    _name: String,
}

fn main() {}
