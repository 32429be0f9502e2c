use agent_core::ToolError;

#[derive(Debug, ToolError)]
enum Bad {
    Limit, //~ say what this error is to the model: `#[tool(business("CODE"))]` for a rule of the domain, `#[tool(fatal)]` for a fault
}

impl std::fmt::Display for Bad {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("bad")
    }
}

impl std::error::Error for Bad {}

fn main() {}
