use agent_core::ToolSchema;

#[derive(serde::Deserialize, ToolSchema)]
#[serde(rename_all = "camelCase")]
struct Order {
    /// The number.
    _number: u32,
    /// The alias of another.
    #[serde(alias = "Number")]
    _given: u32,
    /// The name.
    #[serde(rename = "Number")] //~ two fields are named `Number` on the wire; rename one of them
    _name: String,
}

fn main() {}
