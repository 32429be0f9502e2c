//! Arguments are read once, at the gates; what has passed them is what the function gets. Only what runs a second time
//! reads them a second time, since what was read went into the first.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use agent_core::idempotency::{IdempotencyStore, MemoryStore};
use agent_core::model::{Reply, ToolCall};
use agent_core::schema::{Kind, Link, Shape, Text};
use agent_core::testing::ScriptedModel;
use agent_core::{Agent, Dispatch, SecurityContext, ToolError, ToolResult, ToolSchema, tool, tools};
use serde::{Deserialize, Deserializer};

/// How often a value of each test was read from the text of a call, and how often from what was read of it.
static FROM_TEXT: [AtomicUsize; 8] = [const { AtomicUsize::new(0) }; 8];
static INTO_TYPE: [AtomicUsize; 8] = [const { AtomicUsize::new(0) }; 8];

/// Counts how often one is read, for the test of this number.
#[derive(Debug)]
struct Counted<const TEST: usize>(String);

impl<'de, const TEST: usize> Deserialize<'de> for Counted<TEST> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        INTO_TYPE[TEST].fetch_add(1, Ordering::Relaxed);
        String::deserialize(from).map(Self)
    }
}

/// The grammar of a leaf is asked each time that the text is read.
fn from_text<const TEST: usize>(_: &str) -> Result<Option<String>, String> {
    FROM_TEXT[TEST].fetch_add(1, Ordering::Relaxed);
    Ok(None)
}

impl<const TEST: usize> ToolSchema for Counted<TEST> {
    const SHAPE: Link =
        Link::to(const { &Shape::new(Kind::Text(Text { reads: Some(from_text::<TEST>), ..Text::ANY })) });
}

/// How often from text, and how often into its type.
fn read(test: usize) -> (usize, usize) {
    (FROM_TEXT[test].load(Ordering::Relaxed), INTO_TYPE[test].load(Ordering::Relaxed))
}

/// Looks.
#[tool]
async fn look(
    /// At what.
    at: Counted<0>,
) -> String {
    at.0
}

/// Changes something.
#[tool(mutating, unrestricted)]
async fn change(
    /// What.
    what: Counted<1>,
) -> String {
    what.0
}

/// Fails until it is tried a third time.
#[tool(retries = 5)]
async fn insist(
    /// On what.
    on: Counted<2>,
    call: &agent_core::CallContext,
) -> Result<String, ToolError> {
    if call.attempt() < 3 { Err(ToolError::fatal("busy").transient()) } else { Ok(on.0) }
}

/// Fails without saying whether it happened.
#[tool(mutating, unrestricted, reconcile = has_lost)]
async fn lose(
    /// What.
    what: Counted<3>,
) -> Result<String, ToolError> {
    Err(ToolError::fatal(what.0))
}

async fn has_lost(what: Counted<3>) -> Result<Option<String>, ToolError> {
    Ok(Some(what.0))
}

/// The results of the calls, dispatched in one run.
async fn dispatched(calls: &[ToolCall]) -> Vec<ToolResult> {
    let agent = Agent::builder(ScriptedModel::new([])).tools(tools![look, change, insist, lose]).build().unwrap();
    let caller = Arc::new(SecurityContext::anonymous());
    let store: Arc<dyn IdempotencyStore> = Arc::new(MemoryStore::new());
    let run = Arc::from("run");
    let at = Dispatch::new(&caller, agent.state(), &store, &run);
    let mut results = Vec::new();
    for call in calls {
        results.push(agent.toolbox().dispatch(call, &at).await);
    }
    results
}

fn data(result: &ToolResult) -> serde_json::Value {
    serde_json::to_value(result).unwrap()["data"].clone()
}

#[tokio::test]
async fn the_arguments_of_a_call_are_read_once() {
    for (test, tool, arguments) in [(0, "look", r#"{"at":"x"}"#), (1, "change", r#"{"what":"x"}"#)] {
        let results = dispatched(&[ToolCall::new("c", tool, arguments)]).await;
        assert_eq!(data(&results[0]), "x");
        assert_eq!(read(test), (1, 1), "{tool}");
    }
}

#[tokio::test(start_paused = true)]
async fn each_retry_reads_the_arguments_again_since_the_first_attempt_had_them() {
    let results = dispatched(&[ToolCall::new("c", "insist", r#"{"on":"x"}"#)]).await;
    assert_eq!(data(&results[0]), "x");
    assert_eq!(read(2), (3, 3), "one for each attempt");
}

#[tokio::test]
async fn a_question_whether_a_call_has_happened_reads_the_arguments_again() {
    let call = || ToolCall::new("c", "lose", r#"{"what":"x"}"#);
    // Nobody knows of the first whether it happened, so the second asks.
    let results = dispatched(&[call(), call()]).await;
    assert_eq!(data(&results[1]), "x");
    assert_eq!(read(3), (3, 3), "once for each call and once for the question");
}

fn judge() -> Agent {
    let finish = Reply::calls([ToolCall::new("c", "finish", r#"{"answer":"x"}"#)]);
    Agent::builder(ScriptedModel::new([finish])).build().unwrap()
}

#[tokio::test]
async fn a_typed_answer_is_read_once() {
    let answer = judge().run("?").answer::<Counted<4>>().await.unwrap();
    assert_eq!(answer.value().0, "x");
    assert_eq!(read(4), (1, 1));
}

#[tokio::test]
async fn a_typed_answer_that_is_looked_at_before_it_counts_is_read_once() {
    let run = judge().run("?").answer::<Counted<5>>();
    let answer = run.check_answer(|words, _| (words.0 == "x").then_some(()).ok_or_else(String::new)).await;
    assert_eq!(answer.unwrap().into_value().0, "x");
    assert_eq!(read(5), (1, 1));
}

#[tokio::test]
async fn of_several_answers_the_one_that_counts_is_given_back() {
    let finish = |id: &str, words: &str| ToolCall::new(id, "finish", format!(r#"{{"answer":"{words}"}}"#));
    let replies = [Reply::calls([finish("a", "no")]), Reply::calls([finish("b", "yes")])];
    let agent = Agent::builder(ScriptedModel::new(replies)).build().unwrap();
    let run = agent.run("?").answer::<Counted<6>>();
    let answer = run.check_answer(|words, _| match &*words.0 {
        "no" => Err("think again".to_owned()),
        _ => Ok(()),
    });
    assert_eq!(answer.await.unwrap().into_value().0, "yes");
    assert_eq!(read(6), (2, 2), "one for each of them");
}

#[tokio::test]
async fn an_answer_of_a_run_that_has_ended_is_read_from_its_record() {
    let store = Arc::new(agent_core::run_store::MemoryRunStore::new());
    let finish = Reply::calls([ToolCall::new("c", "finish", r#"{"answer":"x"}"#)]);
    let agent = Agent::builder(ScriptedModel::new([finish])).run_store(store).build().unwrap();
    for reads in 1..=2 {
        let answer = agent.run("?").id("order-1").answer::<Counted<7>>().await.unwrap();
        assert_eq!((answer.value().0.as_str(), read(7)), ("x", (reads, reads)));
    }
}
