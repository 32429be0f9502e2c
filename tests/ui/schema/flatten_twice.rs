use agent_core::ToolSchema;

#[derive(serde::Deserialize, ToolSchema)]
struct Head {
    /// The number.
    number: u32,
}

#[derive(serde::Deserialize, ToolSchema)]
struct Order {
    #[serde(flatten)]
    _head: Head, //~ `Order` has two fields named `number` once `Head` is flattened; rename one of them
    /// The number.
    number: u32,
}

fn main() {}
