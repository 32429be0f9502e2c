//! A function where a list of tools belongs.

use agent_core::model::Model;
use agent_core::{Agent, tool};

/// Counts.
#[tool]
async fn count() -> u8 {
    1
}

fn agent(model: impl Model + 'static) -> bool {
    Agent::builder(model).tools(count).build().is_ok() //~ is no list of tools
}

fn main() {}
