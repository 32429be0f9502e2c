//! One agent, one scripted model, real tools: the main path from prompt to ledger.

use std::sync::Mutex;

use agent_core::model::{Reply, ToolCall};
use agent_core::testing::ScriptedModel;
use agent_core::{Agent, BusinessError, CallContext, RunErrorKind, SecurityContext, State, Status, tool, tools};
use serde::Serialize;

#[derive(Default)]
struct Ledger(Mutex<Vec<String>>);

#[derive(State, Default)]
struct App {
    ledger: Ledger,
}

#[derive(Serialize)]
struct Rate {
    country: String,
    percent: u32,
}

/// Gives the tax rate of a country.
#[tool(name = "rate")]
async fn rate(
    /// Two-letter country code.
    #[arg(pattern = "^[A-Z]{2}$")]
    country: String,
) -> Result<Rate, BusinessError> {
    match country.as_str() {
        "UK" => Ok(Rate { country, percent: 20 }),
        _ => Err(BusinessError::new("NO_RATE", format!("there is no rate for {country}"))),
    }
}

/// Books a line.
#[tool(name = "book", mutating, permission = "books:write")]
async fn book(
    /// What to book.
    #[arg(min_length = 1)]
    line: String,
    ledger: &Ledger,
    call: &CallContext,
) -> String {
    let mut lines = ledger.0.lock().unwrap();
    lines.push(format!("{line} by {}", call.caller().user()));
    format!("line_{}", lines.len())
}

fn agent(replies: impl IntoIterator<Item = Reply>) -> Agent<App> {
    Agent::builder(ScriptedModel::new(replies)).tools(tools![rate, book]).state(App::default()).build().unwrap()
}

fn booked(agent: &Agent<App>) -> usize {
    agent.state().ledger.0.lock().unwrap().len()
}

fn clerk() -> SecurityContext {
    SecurityContext::new("usr_1", "tenant_1").role("books:write")
}

#[tokio::test]
async fn a_model_reads_then_books_then_answers() {
    let agent = agent([
        Reply::calls([
            ToolCall::new("a", "rate", r#"{"country":"UK"}"#),
            ToolCall::new("b", "rate", r#"{"country":"DE"}"#),
        ]),
        Reply::calls([ToolCall::new("c", "book", r#"{"line":"tax"}"#)]),
        Reply::text("Booked."),
    ]);
    let answer = agent.run("Book it.").caller(clerk()).id("order-1").await.unwrap();
    assert_eq!(answer.text(), "Booked.");
    assert_eq!(booked(&agent), 1);
    assert_eq!(answer.record().cycles, 3);
}

#[tokio::test]
async fn a_caller_without_the_role_books_nothing_and_is_told_why() {
    let agent = agent([
        Reply::calls([
            ToolCall::new("a", "rate", r#"{"country":"UK"}"#),
            ToolCall::new("c", "book", r#"{"line":"tax"}"#),
        ]),
        Reply::text("You may not book."),
    ]);
    let error = agent.run("Book it.").caller(SecurityContext::new("v", "t")).await.unwrap_err();
    assert!(matches!(error.kind(), RunErrorKind::PermissionDenied { tool } if tool == "book"));
    assert_eq!(error.text(), Some("You may not book."));
    assert_eq!(booked(&agent), 0);
}

#[tokio::test]
async fn the_same_booking_under_two_ids_is_booked_once_and_replayed() {
    let agent = agent([
        Reply::calls([
            ToolCall::new("", "book", r#"{"line":"tax"}"#),
            ToolCall::new("", "book", r#"{ "line" : "tax" }"#),
        ]),
        Reply::text("Done."),
    ]);
    let answer = agent.run("Book it.").caller(clerk()).await.unwrap();
    assert_eq!(booked(&agent), 1);
    let steps: Vec<_> = answer
        .record()
        .steps
        .iter()
        .filter_map(|step| match step {
            agent_core::run::StepRecord::Tool(tool) => Some((tool.status, tool.replayed)),
            _ => None,
        })
        .collect();
    assert_eq!(steps, [(Status::Success, false), (Status::Success, true)]);
}

#[tokio::test]
async fn an_operator_reaches_the_store_that_an_agent_has_by_default() {
    use agent_core::idempotency::{ClaimAdmin, MemoryStore, Operator, Resolution};
    /// Breaks in the middle.
    #[tool(mutating, unrestricted)]
    async fn breaks() -> Result<(), agent_core::ToolError> {
        Err(agent_core::ToolError::fatal("the line went dead"))
    }
    let replies = || ScriptedModel::new([Reply::calls([ToolCall::new("a", "breaks", "{}")])]);
    let agent = Agent::builder(replies()).tools(tools![breaks]).build().unwrap();
    let caller = SecurityContext::new("usr_1", "tenant_1");
    let error = agent.run("Go.").caller(caller).await.unwrap_err();
    assert!(matches!(error.into_kind(), RunErrorKind::OutcomeUnknown { tool, .. } if tool == "breaks"));
    let store = agent.memory_store().unwrap();
    let unknown = store.unknown_claims("tenant_1", None, 10).await.unwrap();
    let operator = Operator::new("ada", "nothing was sent").unwrap();
    store.resolve(&unknown[0].handle(), &Resolution::Release, &operator).await.unwrap();
    assert!(store.unknown_claims("tenant_1", None, 10).await.unwrap().is_empty());

    let own = Agent::builder(replies()).tools(tools![breaks]).store(MemoryStore::new()).build().unwrap();
    assert!(own.memory_store().is_none());
}
