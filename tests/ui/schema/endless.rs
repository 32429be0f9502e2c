use agent_core::{ToolSchema, tool};

#[derive(serde::Deserialize, ToolSchema)]
struct Node { //~ `Node` contains itself in every value
    /// What comes after.
    next: Box<Node>,
}

#[derive(serde::Deserialize, ToolSchema)]
enum Chain { //~ `Chain` contains itself in every value
    One(Box<Chain>),
    Many {
        /// The links.
        #[arg(min_items = 1)]
        links: Vec<Chain>,
    },
}

/// It ends.
#[derive(serde::Deserialize, ToolSchema)]
struct Tree {
    /// Below it.
    kids: Vec<Tree>,
    /// Beside it.
    next: Option<Box<Tree>>,
}

/// It holds one that does not, and is not the one to mend.
#[derive(serde::Deserialize, ToolSchema)]
struct Order {
    /// The node.
    node: Node,
}

/// Takes them.
#[tool]
async fn take(
    /// The order.
    order: Order,
    /// The chain.
    chain: Chain,
    /// The tree.
    tree: Tree,
) -> bool {
    let _ = (order.node.next, tree.kids, tree.next);
    matches!(chain, Chain::One(_) | Chain::Many { links: _ })
}

fn main() {}
