use agent_core::ToolSchema;

#[derive(serde::Deserialize, ToolSchema)]
struct Point(#[allow(dead_code)] f64, #[allow(dead_code)] f64); //~ a tuple of values has no schema that every provider takes; name the fields

fn main() {}
