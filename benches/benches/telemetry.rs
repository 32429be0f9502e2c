//! What it costs to be seen: a run and a call, by who looks on.
//!
//! `cargo bench -p agent-benches --bench telemetry`. The rows of one group do the same, so that they are to be held
//! against its first: nobody looks on. `docs/telemetry.md` has instruction counts and how to have them.
#![allow(missing_docs, clippy::unwrap_used)]

use std::sync::Arc;

use agent_core::idempotency::{IdempotencyStore, MemoryStore};
use agent_core::model::{Reply, ToolCall};
use agent_core::telemetry::Content;
use agent_core::testing::ScriptedModel;
use agent_core::{Agent, Dispatch, Event, SecurityContext, tool, tools};
use divan::{Bencher, black_box};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::{DefaultGuard, Interest};
use tracing::{Metadata, Subscriber};

#[global_allocator]
static ALLOCATIONS: divan::AllocProfiler = divan::AllocProfiler::system();

/// Adds two numbers.
#[tool]
async fn add(
    /// The first.
    left: u32,
    /// The second.
    right: u32,
) -> u32 {
    left.saturating_add(right)
}

/// Who looks on.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Who {
    Nobody,
    /// A subscriber that wants nothing of ours, as one that is there for other crates.
    FiltersAll,
    /// The same, asked anew each time, as one whose filter changes while the program runs.
    FiltersEachTime,
    /// A subscriber that takes each span and keeps nothing: what tracing itself costs.
    TakesSpans,
    /// The same, with content on.
    TakesContent,
    /// An observer that keeps nothing.
    Observes,
}

const ALL: [Who; 6] =
    [Who::Nobody, Who::FiltersAll, Who::FiltersEachTime, Who::TakesSpans, Who::TakesContent, Who::Observes];

struct Looks(Who);

impl Subscriber for Looks {
    fn register_callsite(&self, _: &'static Metadata<'static>) -> Interest {
        match self.0 {
            Who::TakesSpans | Who::TakesContent => Interest::always(),
            Who::FiltersEachTime => Interest::sometimes(),
            _ => Interest::never(),
        }
    }

    fn enabled(&self, _: &Metadata<'_>) -> bool {
        matches!(self.0, Who::TakesSpans | Who::TakesContent)
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        black_box(span);
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        black_box(values);
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        black_box(event);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

/// For as long as it is held, on this thread.
fn looks(who: Who) -> Option<DefaultGuard> {
    (!matches!(who, Who::Nobody | Who::Observes)).then(|| tracing::subscriber::set_default(Looks(who)))
}

fn agent(who: Who, model: ScriptedModel) -> Agent {
    let mut agent = Agent::builder(model).tools(tools![add]);
    if who == Who::TakesContent {
        agent = agent.trace_content(|content: Content<'_>| content.text.to_owned());
    }
    if who == Who::Observes {
        agent = agent.observer(|_: &str, event: &Event| {
            black_box(event);
        });
    }
    agent.build().unwrap()
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap()
}

const CALL: &str = r#"{"left":2,"right":3}"#;

fn main() {
    divan::main();
}

/// A run of two calls side by side and an answer.
#[divan::bench(args = ALL)]
fn a_run(bencher: Bencher<'_, '_>, who: Who) {
    let runtime = runtime();
    let _looks = looks(who);
    let script = || {
        let calls = Reply::calls([ToolCall::new("a", "add", CALL), ToolCall::new("b", "add", CALL)]);
        agent(who, ScriptedModel::new([calls, Reply::text("Five, and five again.")]))
    };
    bencher.with_inputs(script).bench_local_values(|agent| {
        runtime.block_on(async { agent.run(black_box("Add two and three, twice.")).await.unwrap() })
    });
}

/// One call through all gates. An observer is told of calls by the run, so it is not among these.
#[divan::bench(args = [Who::Nobody, Who::FiltersAll, Who::FiltersEachTime, Who::TakesSpans, Who::TakesContent])]
fn b_dispatch(bencher: Bencher<'_, '_>, who: Who) {
    let runtime = runtime();
    let _looks = looks(who);
    let agent = agent(who, ScriptedModel::new([]));
    let call = ToolCall::new("c", "add", CALL);
    let caller = Arc::new(SecurityContext::anonymous());
    let store: Arc<dyn IdempotencyStore> = Arc::new(MemoryStore::new());
    let run = Arc::from("run");
    bencher.bench_local(|| {
        let at = Dispatch::new(&caller, agent.state(), &store, &run);
        runtime.block_on(agent.toolbox().dispatch(black_box(&call), &at))
    });
}
