//! Where the runtime is, said of one variant.

use agent_core::ToolError;

#[derive(Debug, ToolError)]
enum Lost {
    #[tool(fatal, crate = ::agent_core)] //~ `crate` is said once, of the whole error
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
