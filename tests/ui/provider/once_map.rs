//! What no strict mode takes is one error however many profiles are named, inside a generic type too.

use std::collections::BTreeMap;

use agent_core::{profile, tool};
use agent_tests_shapes::Page;

/// Ships.
#[tool(providers(profile::OPENAI, profile::ANTHROPIC))]
async fn ship(
    /// What to ship.
    order: Page<BTreeMap<String, u8>>, //~ `ship.order.items[]` is a `BTreeMap` with open keys, which the strict modes of OpenAI and Anthropic refuse; use `Vec<Entry>`
) -> u8 {
    let _ = order;
    1
}

fn main() {}
