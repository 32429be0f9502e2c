//! A business error of two codes.

use agent_core::ToolError;

#[derive(Debug, ToolError)]
#[tool(business("GONE", "LOST"))] //~ a business error has one code
struct Lost;

impl std::fmt::Display for Lost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("lost")
    }
}

impl std::error::Error for Lost {}

fn main() {
    let _ = Lost;
}
