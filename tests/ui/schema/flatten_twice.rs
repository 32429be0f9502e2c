use agent_core::ToolSchema;

#[derive(serde::Deserialize, ToolSchema)]
struct Head {
    /// The number.
    number: u64,
}

#[derive(serde::Deserialize, ToolSchema)]
struct Order {
    #[serde(flatten)]
    _head: Head, //~ two fields of `Order` are named `number` once `Head` is flattened; rename one of them
    /// The number.
    number: u64,
}

fn main() {}
