//! `.fatal()?` where only business errors leave.

use agent_core::{BusinessError, OrFatal, tool};

/// Reads the notes.
#[tool]
async fn read() -> Result<String, BusinessError> {
    Ok(std::fs::read_to_string("notes").fatal()?) //~ `?` couldn't convert the error to `agent_core::BusinessError`
}

fn main() {}
