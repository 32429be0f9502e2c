use agent_core::{ToolSchema, profile, tool};

#[derive(serde::Deserialize, ToolSchema)]
struct Tree {
    /// What is below.
    _kids: Vec<Tree>,
}

/// Grows.
#[tool(providers(profile::OPENAI, profile::ANTHROPIC))]
async fn grow(
    /// The tree.
    tree: Tree, //~ `grow.tree._kids[]` is a type that contains itself, which Anthropic refuses; unroll it to a fixed depth, or take a flat list with parent ids
) -> u8 {
    let _ = tree;
    1
}

fn main() {}
