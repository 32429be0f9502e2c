use agent_core::ToolSchema;

#[derive(serde::Deserialize, ToolSchema)]
#[allow(dead_code)]
enum Means {
    /// By card.
    Card(#[serde(skip)] u8), //~ serde reads this variant as one without content; write it without the field
    /// In cash.
    Cash,
}

fn main() {}
