use agent_core::ToolSchema;

#[derive(ToolSchema)]
#[serde(tag = "kind")]
enum Payment {
    _Card {
        /// The kind.
        kind: String, //~ `kind` is the name of the tag; rename one of them
    },
}

fn main() {}
