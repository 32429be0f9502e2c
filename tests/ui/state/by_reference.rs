//! A reference given as the state.

use agent_core::model::Model;
use agent_core::{Agent, State, tool, tools};

struct Warehouse(u8);

/// Counts.
#[tool]
async fn count(warehouse: &Warehouse) -> u8 {
    warehouse.0
}

fn agent(model: impl Model + 'static, warehouse: &'static Warehouse) -> bool {
    Agent::builder(model).tools(tools![count]).state(warehouse).build().is_ok() //~ the agent's state does not hold a `Warehouse`
}

fn main() {}
