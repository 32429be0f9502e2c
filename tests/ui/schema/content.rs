use agent_core::ToolSchema;

#[derive(serde::Deserialize, ToolSchema)]
#[serde(tag = "kind", content = "data")] //~ `content` does not go with `ToolSchema`: tag and content side by side are not supported; use `#[serde(tag = "kind")]` alone
enum Payment {
    _Card {
        /// The number.
        number: String,
    },
}

fn main() {}
