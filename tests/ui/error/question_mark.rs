//! `?` on an error of another crate, without `.fatal()`.

use agent_core::{ToolError, tool};

/// Reads the notes.
#[tool]
async fn read() -> Result<String, ToolError> {
    Ok(std::fs::read_to_string("notes")?) //~ `?` couldn't convert the error to `ToolError`
}

fn main() {}
