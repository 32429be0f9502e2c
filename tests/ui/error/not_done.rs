use agent_core::ToolError;

#[derive(Debug, ToolError)]
enum Bad {
    #[tool(business("LIMIT"), not_done)] //~ `not_done` is for faults; a business error promises that nothing was changed
    Limit,
}

impl std::fmt::Display for Bad {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("bad")
    }
}

impl std::error::Error for Bad {}

fn main() {}
