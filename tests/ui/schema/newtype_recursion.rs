//! A newtype that holds itself.

use agent_core::ToolSchema;

#[derive(serde::Deserialize, ToolSchema)]
struct Tree(Vec<Tree>); //~ `Tree` is what it holds, and holds itself; name the field

fn main() {}
