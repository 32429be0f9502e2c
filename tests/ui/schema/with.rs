use agent_core::ToolSchema;

#[derive(serde::Deserialize, ToolSchema)]
struct Order {
    /// The number.
    #[serde(deserialize_with = "read")] //~ `deserialize_with` changes what is read, and the schema cannot follow; say what stands on the wire
    _number: u32,
}

fn read<'de, D: serde::Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
    serde::Deserialize::deserialize(from)
}

fn main() {}
