//! An agent that books once, on whatever store it is given.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use agent_core::idempotency::IdempotencyStore;
use agent_core::model::{Body, Reply, ToolCall};
use agent_core::run_store::RunStore;
use agent_core::testing::FunctionModel;
use agent_core::{Agent, Limits, RunErrorKind, SecurityContext, State, tool, tools};

/// What is booked, outside the store.
#[derive(Debug, Default, Clone)]
pub(crate) struct Books(Arc<AtomicU32>);

impl Books {
    /// How often was booked.
    pub(crate) fn booked(&self) -> u32 {
        self.0.load(Ordering::SeqCst)
    }
}

#[derive(Debug, State)]
struct App {
    books: Books,
}

/// Long, so that all that holds it takes room.
const LONG: usize = 40_000;

/// Books.
#[tool(mutating, unrestricted)]
async fn book(books: &Books) -> String {
    books.0.fetch_add(1, Ordering::SeqCst);
    "booked ".repeat(LONG / 7)
}

/// Long enough to notice, short enough to wait for.
const LEASE: Duration = Duration::from_millis(600);

/// Makes the request on these stores, as a process of its own would, and says how it ended.
pub(crate) async fn run(store: impl IdempotencyStore + RunStore + Clone + 'static, books: &Books) -> String {
    let model = FunctionModel::new(|messages| {
        let called = messages.iter().any(|message| matches!(message.body(), Body::Tool { .. }));
        let text = Reply::text("Booked. ".repeat(LONG / 8));
        Ok(if called { text } else { Reply::calls([ToolCall::new("call", "book", "{}")]) })
    });
    let limits = Limits::default().lease(LEASE).timeout(Duration::from_secs(8)).grace(LEASE);
    let agent = Agent::builder(model).tools(tools![book]).state(App { books: books.clone() }).limits(limits);
    let agent = agent.store(store.clone()).run_store(store).build().unwrap();
    // The id is part of the rows of runs and of claims.
    let id = format!("order-{}", "4711".repeat(LONG / 4));
    loop {
        let caller = SecurityContext::new("usr_1", "t");
        match agent.run("Book it.").caller(caller).id(id.as_str()).await {
            Ok(answer) => {
                let codes: Vec<_> = answer.record().steps.iter().filter_map(code).collect();
                return if codes.is_empty() { "ok".to_owned() } else { codes.join(" ") };
            }
            // Until the lease of a process that is gone is over. It is over by the clock of the server or of the machine, which
            // no test can move, so this asks now and then.
            Err(error) if matches!(error.kind(), RunErrorKind::Owned { .. }) => tokio::time::sleep(LEASE / 20).await,
            Err(error) => return error.kind().as_str().to_owned(),
        }
    }
}

fn code(step: &agent_core::run::StepRecord) -> Option<String> {
    match step {
        agent_core::run::StepRecord::Tool(step) => step.code.clone(),
        _ => None,
    }
}
