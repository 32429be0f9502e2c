use agent_core::ToolError;

#[derive(Debug, ToolError)]
enum Bad {
    #[tool(business("LIMIT"), fatal)] //~ an error is a rule of the domain or a fault; keep `business(..)` or `fatal`
    Limit,
}

impl std::fmt::Display for Bad {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("bad")
    }
}

impl std::error::Error for Bad {}

fn main() {}
