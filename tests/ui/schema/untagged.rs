use agent_core::ToolSchema;

#[derive(serde::Deserialize, ToolSchema)]
#[serde(untagged)] //~ `untagged` does not go with `ToolSchema`: forms without a tag cannot be told apart by a model; use `#[serde(tag = "kind")]`
enum Payment {
    _Card {
        /// The number.
        number: String,
    },
}

fn main() {}
