use agent_core::ToolSchema;

#[derive(serde::Deserialize, ToolSchema)]
#[serde(tag = "kind")]
enum Payment {
    _Cards(Vec<String>), //~ `_Cards` holds an array, which has no place for the tag `kind`; hold a struct with named fields
}

fn main() {}
