use agent_core::ToolSchema;

#[derive(serde::Deserialize, ToolSchema)]
enum Payment {
    _Card(String, u8), //~ a variant with a tuple has no schema that every provider takes; name the fields
}

fn main() {}
