use agent_core::ToolSchema;

#[derive(serde::Deserialize, ToolSchema)]
struct Order {
    /// The number.
    #[serde(deserialize_with = "read")] //~ `deserialize_with` does not go with `ToolSchema`: it changes what is read, and the schema cannot follow
    _number: u32,
}

fn read<'de, D: serde::Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
    serde::Deserialize::deserialize(from)
}

fn main() {}
