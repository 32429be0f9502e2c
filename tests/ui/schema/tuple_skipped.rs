use agent_core::ToolSchema;

#[derive(serde::Deserialize, ToolSchema)]
struct Sku(#[allow(dead_code)] String, #[serde(skip)] #[allow(dead_code)] u8); //~ a tuple of values has no schema that every provider takes; name the fields

fn main() {}
