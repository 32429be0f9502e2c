use agent_core::ToolError;

#[derive(Debug, ToolError)]
enum Bad {
    #[tool(business("limit"))] //~ a code is in upper snake case: `CREDIT_LIMIT`
    Limit,
}

impl std::fmt::Display for Bad {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("bad")
    }
}

impl std::error::Error for Bad {}

fn main() {}
