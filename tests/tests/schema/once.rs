//! Arguments are read once, at the gates; what has passed them is what the function gets.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use agent_core::idempotency::{IdempotencyStore, MemoryStore};
use agent_core::model::ToolCall;
use agent_core::schema::Link;
use agent_core::testing::ScriptedModel;
use agent_core::{Agent, Dispatch, SecurityContext, ToolSchema, tool, tools};
use serde::{Deserialize, Deserializer};

static READ: AtomicUsize = AtomicUsize::new(0);

/// Counts how often one is read.
#[derive(Debug)]
struct Counted(String);

impl<'de> Deserialize<'de> for Counted {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        READ.fetch_add(1, Ordering::Relaxed);
        String::deserialize(from).map(Self)
    }
}

impl ToolSchema for Counted {
    const SHAPE: Link = String::SHAPE;
}

/// Looks.
#[tool]
async fn look(
    /// At what.
    at: Counted,
) -> String {
    at.0
}

/// Changes something.
#[tool(mutating, unrestricted)]
async fn change(
    /// What.
    what: Counted,
) -> String {
    what.0
}

#[tokio::test]
async fn the_arguments_of_a_call_are_read_once() {
    let agent = Agent::builder(ScriptedModel::new([])).tools(tools![look, change]).build().unwrap();
    let caller = Arc::new(SecurityContext::anonymous());
    let store: Arc<dyn IdempotencyStore> = Arc::new(MemoryStore::new());
    let run = Arc::from("run");
    let at = Dispatch::new(&caller, agent.state(), &store, &run);
    for (index, (tool, arguments)) in [("look", r#"{"at":"x"}"#), ("change", r#"{"what":"x"}"#)].into_iter().enumerate()
    {
        let result = agent.toolbox().dispatch(&ToolCall::new("c", tool, arguments), &at).await;
        assert_eq!(serde_json::to_value(result).unwrap()["data"], "x");
        assert_eq!(READ.load(Ordering::Relaxed), index + 1, "{tool}");
    }
}
