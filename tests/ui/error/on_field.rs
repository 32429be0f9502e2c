//! What is said of a variant, on its field.

use agent_core::ToolError;

#[derive(Debug, ToolError)]
enum Lost {
    #[tool(fatal)]
    Gone(#[tool(not_done)] u8), //~ it belongs above the variant or the struct
}

impl std::fmt::Display for Lost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("lost")
    }
}

impl std::error::Error for Lost {}

fn main() {
    let _ = Lost::Gone(1);
}
