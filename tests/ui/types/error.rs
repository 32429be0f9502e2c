use agent_core::tool;

/// Pays.
#[tool]
async fn pay() -> Result<u8, std::io::Error> { //~ a tool cannot fail with `std::io::Error`
    Ok(1)
}

fn main() {}
