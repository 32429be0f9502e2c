use agent_core::ToolSchema;

#[derive(serde::Deserialize, ToolSchema)]
enum Kind {
    _A,
}

#[derive(serde::Deserialize, ToolSchema)]
struct Order {
    #[serde(flatten)]
    _kind: Kind, //~ `_kind` is one of a list of strings; only a struct with named fields can be flattened
}

fn main() {}
