use agent_core::{profile, tool};

/// Ships.
#[tool(name = "2nd", providers(profile::GEMINI))]
async fn ship() -> u8 { //~ tool name `2nd` begins with a sign that Gemini refuses; begin it with a letter or `_`
    1
}

fn main() {}
