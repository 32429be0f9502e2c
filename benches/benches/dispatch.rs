//! A call through all gates, against bare serde on the same arguments.
//!
//! `cargo bench -p agent-benches`: each row is one way from the text to the function's types, each column what was
//! called. `dispatch` is the whole of it: caller, schema, defaults, digest, a task of its own, and the result as JSON.
#![allow(missing_docs, clippy::unwrap_used)]

use std::fmt::Write as _;
use std::sync::Arc;

use agent_core::arguments::Validator;
use agent_core::idempotency::{IdempotencyStore, MemoryStore};
use agent_core::model::ToolCall;
use agent_core::testing::ScriptedModel;
use agent_core::{Agent, Dispatch, SecurityContext, ToolSchema, tool, tools};
use divan::{Bencher, black_box};
use serde::Deserialize;

#[global_allocator]
static ALLOCATIONS: divan::AllocProfiler = divan::AllocProfiler::system();

#[derive(Deserialize, ToolSchema)]
#[allow(dead_code)]
struct Invoice {
    /// Who pays.
    #[arg(min_length = 1, max_length = 80)]
    client: String,
    /// A currency.
    #[arg(pattern = "^[A-Z]{3}$")]
    currency: String,
    /// The lines.
    #[arg(max_items = 1000)]
    lines: Vec<Line>,
    /// A note.
    note: Option<String>,
}

#[derive(Deserialize, ToolSchema)]
#[allow(dead_code)]
struct Line {
    /// The article.
    sku: String,
    /// How many.
    #[arg(minimum = 1)]
    quantity: u32,
    /// The price of one.
    #[arg(exclusive_minimum = 0)]
    price: f64,
    /// How it is sent.
    way: Option<Way>,
}

#[derive(Deserialize, ToolSchema)]
#[serde(rename_all = "snake_case")]
enum Way {
    Road,
    Sea,
}

/// Looks at an invoice.
#[tool]
async fn look(#[arg(flatten)] invoice: Invoice) -> usize {
    invoice.lines.len()
}

const LINES: [usize; 3] = [1, 10, 100];

fn text(lines: usize) -> String {
    let mut text = r#"{"client":"Ada Lovelace","currency":"GBP","lines":["#.to_owned();
    for index in 0..lines {
        let comma = if index == 0 { "" } else { "," };
        write!(text, r#"{comma}{{"sku":"A-{index}","quantity":{},"price":{}.25,"way":"sea"}}"#, index + 1, index)
            .unwrap();
    }
    text + r#"],"note":null}"#
}

fn main() {
    divan::main();
}

#[divan::bench(args = LINES)]
fn a_serde(bencher: Bencher<'_, '_>, lines: usize) {
    let text = text(lines);
    bencher.bench(|| serde_json::from_str::<Invoice>(black_box(&text)).unwrap());
}

#[divan::bench(args = LINES)]
fn b_validated(bencher: Bencher<'_, '_>, lines: usize) {
    let text = text(lines);
    let validator = Validator::new(Invoice::SHAPE.get()).unwrap();
    bencher.bench(|| validator.read(black_box(&text)).unwrap().whole::<Invoice>().unwrap());
}

#[divan::bench(args = LINES)]
fn c_dispatch(bencher: Bencher<'_, '_>, lines: usize) {
    let call = ToolCall::new("c", "look", text(lines));
    let agent = Agent::builder(ScriptedModel::new([])).tools(tools![look]).build().unwrap();
    let caller = Arc::new(SecurityContext::anonymous());
    let store: Arc<dyn IdempotencyStore> = Arc::new(MemoryStore::new());
    let run = Arc::from("run");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    bencher.bench_local(|| {
        let at = Dispatch::new(&caller, agent.state(), &store, &run);
        runtime.block_on(agent.toolbox().dispatch(black_box(&call), &at))
    });
}
