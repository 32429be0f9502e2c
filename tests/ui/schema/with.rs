use agent_core::ToolSchema;

#[derive(serde::Deserialize, ToolSchema)]
struct Order {
    /// The number.
    #[serde(deserialize_with = "read")] //~ `deserialize_with` does not go with `ToolSchema`: it changes what is read, and the schema cannot follow
    _number: u64,
}

fn read<'de, D: serde::Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    serde::Deserialize::deserialize(from)
}

fn main() {}
