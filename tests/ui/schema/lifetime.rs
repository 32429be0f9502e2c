use agent_core::ToolSchema;

#[derive(serde::Deserialize, ToolSchema)]
struct Order<'a> { //~ what the model fills in is owned; a type with a lifetime has no schema
    /// The number.
    _number: &'a str,
}

fn main() {}
