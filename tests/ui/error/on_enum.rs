//! What is said of each variant, above the enum.

use agent_core::ToolError;

#[derive(Debug, ToolError)]
#[tool(fatal)] //~ `fatal` is said of each variant: `#[tool(fatal)]` on it
enum Lost {
    #[tool(business("GONE"))]
    Gone,
}

impl std::fmt::Display for Lost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("lost")
    }
}

impl std::error::Error for Lost {}

fn main() {
    let _ = Lost::Gone;
}
