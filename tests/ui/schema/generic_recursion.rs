use agent_core::ToolSchema;

#[derive(serde::Deserialize, ToolSchema)]
struct Tree<T> {
    /// What is here.
    _value: T,
    /// What is below.
    _kids: Vec<Tree<T>>, //~ a generic type that contains itself has no schema; make it non-generic
}

fn main() {}
